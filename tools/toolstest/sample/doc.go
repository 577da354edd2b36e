// Package sample has what tests of tools work on: cells, outputs, a picture, and a project file.
package sample

// Package sample has sample data for tests of tools: cells, outputs, an image, and a project file.
package sample

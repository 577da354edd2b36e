// Package toolstest has what the tests of several packages of tools are made of: cells, outputs, pictures, a project
// file.
package toolstest

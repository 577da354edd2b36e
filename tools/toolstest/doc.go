// Package toolstest has test data that several packages of tools share: cells, outputs, pictures, a project file.
package toolstest

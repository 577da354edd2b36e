package main

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"strings"
)

// codeLines are the lines of a Go file that have a token on them: neither blank lines nor those of comments.
func codeLines(src []byte) map[int]bool {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return lines
		case tok == token.SEMICOLON && text == "\n": // the scanner's own
			continue
		}
		first := file.Line(pos)
		for n := range 1 + strings.Count(text, "\n") { // a raw string has several
			lines[first+n] = true
		}
	}
}

// linesOf is how many lines of code a function has, with its head and its last brace.
func linesOf(fset *token.FileSet, fn *ast.FuncDecl, code map[int]bool) (n int) {
	for line := fset.Position(fn.Pos()).Line; line <= fset.Position(fn.End()).Line; line++ {
		if code[line] {
			n++
		}
	}
	return n
}

// codeIn reads a file for [codeLines].
func codeIn(name string) (map[int]bool, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return codeLines(src), nil
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// asserts counts the assertions of a package's tests, and the || in them. A test that joins facts by || does not say which
// of them is wrong. An assertion is an if statement that fails the test, or a call of the package test or must.
type asserts struct{ Asserts, Ors int }

// countAsserts counts the assertions below a folder, by package.
func countAsserts(root string) (map[string]asserts, error) {
	found := make(map[string]asserts)
	err := eachFile(root, func(path string) error {
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		sum := found[filepath.ToSlash(folder)]
		sum.add(file)
		found[filepath.ToSlash(folder)] = sum
		return nil
	})
	return found, err
}

func (a *asserts) add(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if slices.ContainsFunc(n.Body.List, fails) {
				a.Asserts++
				a.Ors += ors(n.Cond)
			}
		case *ast.CallExpr:
			if asserting(n) {
				a.Asserts++
				for _, arg := range n.Args {
					a.Ors += ors(arg)
				}
			}
		}
		return true
	})
}

// fails reports whether a statement is a call of T.Error, T.Fatal and their like.
func fails(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, sel.Sel.Name)
}

// asserting reports whether a call is of the package test or must.
func asserting(call *ast.CallExpr) bool {
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok { // with a type argument
		fun = index.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := sel.X.(*ast.Ident)
	return ok && (of.Name == "test" || of.Name == "must")
}

// ors counts the || of an expression, without those in functions within it.
func ors(e ast.Expr) (n int) {
	ast.Inspect(e, func(node ast.Node) bool {
		if _, inner := node.(*ast.FuncLit); inner {
			return false
		}
		if b, ok := node.(*ast.BinaryExpr); ok && b.Op == token.LOR {
			n++
		}
		return true
	})
	return n
}

// checkAsserts compares the || of each package's assertions with the numbers in a file. It prints the sum for all packages.
func checkAsserts(out io.Writer, root, file string) error {
	found, err := countAsserts(root)
	if err != nil {
		return err
	}
	var sum asserts
	ors := make(map[string]int, len(found))
	for of, a := range found {
		sum.Asserts += a.Asserts
		sum.Ors += a.Ors
		ors[of] = a.Ors
	}
	err = checkCounts(out, file, ors, "|| in assertions", "assert one fact a line")
	if sum.Asserts > 0 {
		fmt.Fprintf(out, "%d assertions, %.3f || in each\n", sum.Asserts, float64(sum.Ors)/float64(sum.Asserts))
	}
	return err
}

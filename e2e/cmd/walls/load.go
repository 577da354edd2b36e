package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A graph is a package as the measure sees it: its files, and who names what of whom.
type graph struct {
	// Path is the package's directory below the root of its module, with slashes.
	Path string
	// Files are the names of its Go files, tests aside, in order.
	Files []string
	// Arrows go from the files that name something to the files that declare it.
	Arrows []arrow
	// Widest is the type with the most methods, those of its value and of its pointer together, and functions that take one
	// first, or first after a context; Methods is their number. Of several it is the first by name; it is empty where no type
	// has a method.
	Widest  string
	Methods int
	// Lines is how many lines of code its files have, also those for other systems.
	Lines int
	// LongestName is the function with the most lines of code, and Longest their number.
	LongestName string
	Longest     int
}

// An arrow goes from a file to another of its package, because it names what the other declares.
type arrow struct {
	From, To string
	// Names counts how often the file names each thing: a package-level identifier, or Type.method.
	Names map[string]int
}

// uses counts how often the one file names anything of the other.
func (a arrow) uses() int {
	n := 0
	for _, count := range a.Names {
		n += count
	}
	return n
}

// load reads the packages that the patterns name, in the module that holds dir.
func load(dir string, patterns ...string) ([]graph, error) {
	pkgs, err := packages.Load(&packages.Config{
		Dir: dir,
		// Of the packages that these import, the types are read from the build's export data: that is much faster than
		// their source.
		Mode: packages.NeedName | packages.NeedModule | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	var graphs []graph
	var failed []error
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			failed = append(failed, err)
		}
		if len(pkg.Errors) > 0 {
			continue
		}
		if pkg.Module == nil {
			failed = append(failed, fmt.Errorf("%s is in no module", pkg.PkgPath))
			continue
		}
		g, err := measured(pkg)
		if err != nil {
			failed = append(failed, err)
		}
		graphs = append(graphs, g)
	}
	slices.SortFunc(graphs, func(a, b graph) int { return cmp.Compare(a.Path, b.Path) })
	return graphs, errors.Join(failed...)
}

// measured draws the arrows between the files of a package, and counts the methods of its types.
func measured(pkg *packages.Package) (graph, error) {
	path := strings.TrimPrefix(strings.TrimPrefix(pkg.PkgPath, pkg.Module.Path), "/")
	if path == "" {
		path = "."
	}
	g := graph{Path: path}
	methods := map[string]int{}
	file := func(pos token.Pos) string { return filepath.Base(pkg.Fset.Position(pos).Filename) }
	for _, syntax := range pkg.Syntax {
		from := file(syntax.Package)
		g.Files = append(g.Files, from)
		code, err := codeIn(pkg.Fset.Position(syntax.Package).Filename)
		if err != nil {
			return g, err
		}
		for _, decl := range syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if of := owner(pkg.TypesInfo.Defs[fn.Name].(*types.Func)); of != "" {
				methods[of]++
			}
			if n := linesOf(pkg.Fset, fn, code); n > g.Longest {
				g.Longest, g.LongestName = n, fn.Name.Name
			}
		}
		names := map[string]map[string]int{}
		ast.Inspect(syntax, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			name := named(pkg.Types, pkg.TypesInfo.Uses[id])
			if name == "" {
				return true
			}
			to := file(pkg.TypesInfo.Uses[id].Pos())
			if to == from {
				return true
			}
			if names[to] == nil {
				names[to] = map[string]int{}
			}
			names[to][name]++
			return true
		})
		for to, of := range names {
			g.Arrows = append(g.Arrows, arrow{From: from, To: to, Names: of})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if methods[name] > g.Methods {
			g.Widest, g.Methods = name, methods[name]
		}
	}
	slices.SortFunc(g.Arrows, func(a, b arrow) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	for _, name := range slices.Concat(pkg.GoFiles, pkg.IgnoredFiles) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		code, err := codeIn(name)
		if err != nil {
			return g, err
		}
		g.Lines += len(code)
	}
	return g, nil
}

// named says what an identifier names, if that is what makes an arrow: something at the top level of the package, or a
// method of one of its types, through embedding too. It is empty for all else: locals, fields, and what is of other
// packages.
func named(pkg *types.Package, obj types.Object) string {
	if obj == nil || obj.Pkg() != pkg {
		return ""
	}
	if obj.Parent() == pkg.Scope() {
		return obj.Name()
	}
	method, ok := obj.(*types.Func)
	if !ok || method.Signature().Recv() == nil {
		return ""
	}
	return receiver(method) + "." + method.Name()
}

// owner is the name of the type whose method a function is, or could be: the package's own type that it takes first, or first
// after a context. It is empty for other functions.
func owner(fn *types.Func) string {
	if fn.Signature().Recv() != nil {
		return receiver(fn)
	}
	for param := range fn.Signature().Params().Variables() {
		if param.Type().String() == "context.Context" {
			continue
		}
		t := types.Unalias(param.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok && n.Obj().Pkg() == fn.Pkg() {
			return n.Obj().Name()
		}
		break
	}
	return ""
}

// receiver is the name of the type that a method is declared on.
func receiver(method *types.Func) string {
	t := types.Unalias(method.Signature().Recv().Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return "interface"
}

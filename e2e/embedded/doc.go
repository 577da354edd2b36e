// Package embedded installs the extension of Jupyter Server as people do, for tests of the program inside it: it puts the
// wheels of packaging/python into a separate Python beside the packages of .venv.
//
//	in, err := embedded.Install(dir)
//	server, err := lab.Start(ctx, lab.Options{Command: in.Command(), Env: in.Env})
package embedded

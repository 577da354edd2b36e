package jupyter_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A file is written, read and deleted through a server's REST interface.
func Example() {
	if err := writeAndRead(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// file "# Notes"
	// it is gone: true
}

func writeAndRead(ctx context.Context) error {
	running, err := jupytertest.SharedServer()
	if err != nil {
		return err
	}
	server, err := jupyter.New(jupyter.Options{URL: running.URL, Token: running.Token})
	if err != nil {
		return err
	}
	defer server.CloseIdleConnections()

	path := "example-" + rand.Text() + ".md"
	if _, err := server.Contents.Put(ctx, jupyter.MustPath(path), jupyter.NewContent{Type: "file", Format: "text", Content: "# Notes"}); err != nil {
		return err
	}
	file, err := server.Contents.Get(ctx, jupyter.MustPath(path), jupyter.ContentsOptions{Content: true})
	if err != nil {
		return err
	}
	fmt.Println(file.Type, string(file.Content))

	if err := server.Contents.Delete(ctx, jupyter.MustPath(path)); err != nil {
		return err
	}
	_, err = server.Contents.Get(ctx, jupyter.MustPath(path), jupyter.ContentsOptions{})
	fmt.Println("it is gone:", errors.Is(err, jupyter.ErrNotFound))
	return nil
}

// Every form of a path becomes the Contents API's own, so that one file has one room.
func ExampleParsePath() {
	fmt.Println(jupyter.ParsePath("/work/./counts.ipynb"))
	_, err := jupyter.ParsePath("../counts.ipynb")
	fmt.Println(errors.Is(err, jupyter.ErrBadPath))
	// Output:
	// work/counts.ipynb <nil>
	// true
}

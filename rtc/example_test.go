package rtc_test

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/ydoc"
	"github.com/nbduet/nbduet/ydoc/awareness"
)

// Two peers are in the room of a text file: one writes, and the other reads the text.
func Example() {
	if err := writeInRoom(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// AI Agent reads "# Counts"
	// Ada reads "# Counts of bikes"
}

func writeInRoom(ctx context.Context) error {
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
	if _, err := server.Contents.Put(ctx, jupyter.MustPath(path), jupyter.NewContent{Type: "file", Format: "text", Content: "# Counts"}); err != nil {
		return err
	}

	agent, ada := ydoc.NewText(), ydoc.NewText()
	join := func(replica *ydoc.Text, name string) (*rtc.Room, error) {
		return rtc.Join(ctx, rtc.Config{
			Server: server, Path: jupyter.MustPath(path), Format: "text", Type: "file", Replica: replica,
			User: awareness.User{Username: name, Name: name, DisplayName: name},
		})
	}
	mine, err := join(agent, "AI Agent")
	if err != nil {
		return err
	}
	defer mine.Leave(ctx)
	fmt.Printf("AI Agent reads %q\n", agent.String())

	hers, err := join(ada, "Ada")
	if err != nil {
		return err
	}
	defer hers.Leave(ctx)
	if err := agent.Edit("heading", func(e *ydoc.TextEditor) error { return e.SetText("# Counts of bikes") }); err != nil {
		return err
	}
	if err := mine.Barrier(ctx); err != nil { // the room has the edit
		return err
	}
	if err := hers.Barrier(ctx); err != nil { // and Ada has the room's state
		return err
	}
	fmt.Printf("Ada reads %q\n", ada.String())
	return nil
}

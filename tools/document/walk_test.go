package document_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/tools/toolstest"
)

// A client that requests progress is notified of the progress of a long walk.
func TestWalkTellsOfProgress(t *testing.T) {
	jupytertest.Test(t, func(t *testing.T) {
		heard := make(chan string, 100)
		told := make(chan struct{})
		r := toolstest.NewOn(t, jupytertest.Folders(t, func(path string) ([]map[string]any, bool) {
			if path == "slow" {
				<-told // wait for the first notification
			}
			if path != "" {
				return nil, true
			}
			return []map[string]any{jupytertest.Entry("directory", "", "slow"), jupytertest.Entry("notebook", "", "n.ipynb")}, true
		}))
		r.Client.OnNotification(func(n mcp.JSONRPCNotification) {
			if n.Method == "notifications/progress" && n.Params.AdditionalFields["progressToken"] == "walk" {
				heard <- fmt.Sprint(n.Params.AdditionalFields["message"])
			}
		})
		done := make(chan error, 1)
		go func() {
			var req mcp.CallToolRequest
			req.Params.Name = "list_nbs"
			req.Params.Meta = &mcp.Meta{ProgressToken: "walk"}
			_, err := r.Client.CallTool(context.Background(), req)
			done <- err
		}()
		late := time.After(time.Minute)
		for message := ""; message != "1 folder listed, 1 notebook found"; {
			select {
			case message = <-heard: // the first may come before anything was found
				continue
			case <-late:
				t.Errorf("the last that was heard is %q", message)
			}
			break
		}
		close(told)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

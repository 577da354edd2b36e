package jupyter_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
)

// A notebook is read as the server would have read it, except for the marks of trust, which are not in files.
func TestNotebookIsReadAsTheServerReadsIt(t *testing.T) {
	js := jupytertest.Shared(t)
	for name, nb := range map[string]string{
		"lists of lines": `{"cells": [
			{"cell_type": "markdown", "id": "m", "metadata": {"k": [1, 2.5, 1e3]}, "source": ["# é\n", "<b>"], "attachments": {"a.png": {"image/png": "aGk="}}},
			{"cell_type": "code", "id": "c", "execution_count": 3, "metadata": {}, "source": ["a\n", "b"], "outputs": [
				{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
				{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["x", "y"]},
				{"output_type": "display_data", "metadata": {}, "data": {"text/html": ["<p>\n", "</p>"], "application/json": ["a", "b"], "application/x+json": {"l": ["a"]}}},
				{"output_type": "execute_result", "execution_count": 3, "metadata": {}, "data": {"text/plain": "1"}}]}],
			"metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}`,
		"no cells":   `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`,
		"without id": `{"cells": [{"cell_type": "raw", "metadata": {}, "source": []}], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := js.Write(t, js.Name(t, ".ipynb"), nb)
			got, err := client(t, js.URL, js.Token).Contents.Get(t.Context(), jupyter.MustPath(path), jupyter.ContentsOptions{Content: true, Type: "notebook", Hash: true})
			if err != nil {
				t.Fatal(err)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, js.URL+"/api/contents/"+path+"?type=notebook&content=1&hash=1", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "token "+js.Token)
			request.Close = true
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			var want jupyter.Content
			if err := json.NewDecoder(answer.Body).Decode(&want); err != nil {
				t.Fatal(err)
			}
			if a, b := untrusted(t, got.Content), untrusted(t, want.Content); !reflect.DeepEqual(a, b) {
				t.Errorf("the content is\n%v\nthe server's\n%v", a, b)
			}
			got.Content, want.Content = nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("it is\n%+v\nthe server's\n%+v", got, want)
			}
		})
	}
}

// untrusted decodes a notebook without the marks of trust.
func untrusted(t *testing.T, content json.RawMessage) map[string]any {
	t.Helper()
	var nb map[string]any
	if err := json.Unmarshal(content, &nb); err != nil {
		t.Fatalf("%v: %s", err, content)
	}
	cells, _ := nb["cells"].([]any)
	for _, c := range cells {
		cell, _ := c.(map[string]any)
		metadata, _ := cell["metadata"].(map[string]any)
		delete(metadata, "trusted")
	}
	return nb
}

package rooms_test

import (
	"context"
	"testing"

	"github.com/shoenig/test"

	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/rtc/jupyter/jupytertest"
	"github.com/nbduet/nbduet/session/document/refusedrooms"
)

// Files for which the server cannot make a room.
var unopened = map[string]string{
	"half a character":      `{"cells": [{"cell_type": "code", "id": "a1", "metadata": {}, "execution_count": null, "outputs": [], "source": "half \ud83d"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`,
	"a cell without source": `{"cells": [{"cell_type": "code", "id": "a1", "metadata": {}, "execution_count": null, "outputs": []}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`,
	"not UTF-8":             "{\"cells\": [{\"cell_type\": \"raw\", \"id\": \"a1\", \"metadata\": {}, \"source\": \"It\x92s\"}], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 5}",
	"no JSON":               "{",
}

// documentsRefused opens invalid files: each is refused at once, with the reason.
func documentsRefused(t *testing.T, s *jupytertest.Server) {
	m := newPatient(t, s.URL, s.Token)
	for name, text := range unopened {
		path := s.Write(t, s.Name(t, ".ipynb"), text)
		for range 2 {
			ctx, stop := context.WithTimeout(t.Context(), poll.Patience)
			_, err := m.Open(ctx, jupyter.MustPath(path))
			stop()
			test.True(t, refusedrooms.Is(err), test.Sprint(name, err))
		}
	}
}

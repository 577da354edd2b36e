package jupytertest

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Notebook writes a notebook with a unique name, whose code cells have the given sources and the ids c0, c1, …, and
// returns its contents path.
func (s *Server) Notebook(t testing.TB, sources ...string) string {
	t.Helper()
	cells := []any{}
	for i, src := range sources {
		cells = append(cells, map[string]any{
			"id": fmt.Sprintf("c%d", i), "cell_type": "code", "source": src, "metadata": map[string]any{},
			"outputs": []any{}, "execution_count": nil,
		})
	}
	b, err := json.MarshalIndent(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": map[string]any{
			"kernelspec":    map[string]any{"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"},
			"language_info": map[string]any{"name": "python"},
		},
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return s.Write(t, s.Name(t, ".ipynb"), string(b)+"\n")
}

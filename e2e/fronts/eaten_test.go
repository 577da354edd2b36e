package fronts

import (
	"testing"
	"time"

	"github.com/nbduet/nbduet/e2e/lab"
)

// Through a proxy that passes on no websockets, calls that need one return an error that says what to do; the others
// work: lists of files and kernels, and making, copying, renaming and deleting files.
func TestWebsocketsEaten(t *testing.T) {
	t.Parallel()
	l, ca := behind(t, lab.Options{}), newAuthority(t, time.Now().Add(-time.Hour))
	p := nginx(t, ca, l, "proxy_http_version 1.1;", "", "proxy_set_header Upgrade $http_upgrade;", "", "proxy_set_header Connection $connection_upgrade;", "")
	a := start(t, l, p.url, "NBDUET_CA_FILE="+ca.ca, "JUPYTER_TOKEN="+l.Token)
	type args = map[string]any
	for _, c := range []struct {
		tool string
		args args
		says string
	}{
		{"create_document", args{"path": "a.ipynb", "type": "notebook"}, "a.ipynb"},
		{"create_document", args{"path": "a.csv", "type": "file", "content": "x,y\n1,2\n"}, "a.csv"},
		{"copy_document", args{"path": "a.csv", "copyPath": "b.csv"}, "b.csv"},
		{"list_files", nil, "b.csv"},
		{"list_documents", nil, "b.csv"},
		{"list_nbs", nil, "a.ipynb"},
		{"get_document_info", args{"path": "a.csv"}, "a.csv"},
		{"rename_document", args{"path": "b.csv", "newPath": "c.csv"}, "c.csv"},
		{"delete_document", args{"path": "c.csv"}, "c.csv"},
		{"list_available_kernels", nil, "python3"},
		{"list_kernels", nil, ""},
		{"get_base_url", nil, "https://localhost:"},
	} {
		has(t, c.tool, do(t, a, c.tool, c.args), c.says)
	}
	for tool, args := range map[string]args{
		"read_nb_cells":        {"path": "a.ipynb"},
		"insert_nb_cells":      {"path": "a.ipynb", "position": 0, "cells": []any{args{"content": "1"}}},
		"execute_nb_cells":     {"path": "a.ipynb", "ranges": []any{args{"start": 0}}},
		"get_document_content": {"path": "a.csv"},
		"preview_data":         {"path": "a.csv"},
		"look_around":          {"path": "a.ipynb"},
	} {
		refused(t, a, tool, args, "websockets do not: a proxy drops them", "Upgrade and Connection")
	}
}

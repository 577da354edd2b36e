package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// layout names the folders of one server, all below one temporary folder.
type layout struct {
	base, home, config, data, runtime, settings, workspaces, ipython, root, work string
}

// newLayout makes the folders below base. A nonempty root is the caller's folder in place of the temporary one.
func newLayout(base, root string) (layout, error) {
	l := layout{
		base:       base,
		home:       filepath.Join(base, "home"),
		config:     filepath.Join(base, "config"),
		data:       filepath.Join(base, "data"),
		runtime:    filepath.Join(base, "runtime"),
		settings:   filepath.Join(base, "settings"),
		workspaces: filepath.Join(base, "workspaces"),
		ipython:    filepath.Join(base, "ipython"),
		root:       filepath.Join(base, "root"),
		work:       filepath.Join(base, "work"),
	}
	if root != "" {
		l.root = root
	}
	for _, dir := range []string{l.home, l.config, l.data, l.runtime, l.settings, l.workspaces, l.ipython, l.root, l.work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return layout{}, fmt.Errorf("make the folders of the Jupyter server: %w", err)
		}
	}
	return l, nil
}

// endsWhereItCannotBegin ends a kernel that cannot start. The server picks a kernel's ports and releases them for the
// kernel, and now and then another program takes one in between. Such a kernel has to exit, so that the server starts it
// again with other ports; but ipykernel 7 starts a thread before it binds the port for outputs, and the thread keeps the
// unreachable process alive for ever.
const endsWhereItCannotBegin = `import os
import sys


def end(*what):
    sys.__excepthook__(*what)
    os._exit(1)


sys.excepthook = end
`

// writeSettings writes the settings that keep a fresh JupyterLab from asking questions: no question about news, no look
// for updates, no build check and no splash screen, which also make each page load seconds faster.
func (l layout) writeSettings() error {
	kernels := filepath.Join(l.ipython, "profile_default", "ipython_kernel_config.py")
	if err := os.MkdirAll(filepath.Dir(kernels), 0o700); err != nil {
		return fmt.Errorf("write the settings of the kernels: %w", err)
	}
	if err := os.WriteFile(kernels, []byte(endsWhereItCannotBegin), 0o600); err != nil {
		return fmt.Errorf("write the settings of the kernels: %w", err)
	}
	files := map[string]any{
		filepath.Join(l.settings, "@jupyterlab", "apputils-extension", "notification.jupyterlab-settings"): map[string]any{
			"fetchNews":       "false",
			"checkForUpdates": false,
		},
		filepath.Join(l.config, "labconfig", "page_config.json"): map[string]any{
			"buildAvailable":     false,
			"buildCheck":         false,
			"disabledExtensions": map[string]bool{"@jupyterlab/apputils-extension:splash": true},
		},
	}
	for name, value := range files {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return fmt.Errorf("write the settings of JupyterLab: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("write the settings of JupyterLab: %w", err)
		}
		if err := os.WriteFile(name, append(text, '\n'), 0o600); err != nil {
			return fmt.Errorf("write the settings of JupyterLab: %w", err)
		}
	}
	return nil
}

package jupytertest

import (
	"path/filepath"
	"testing"
)

// WithChat gives a server jupyterlab-chat, which keeps the rooms of .chat files: a fake has it built in, a real one that
// of .cache/chat, or of the folder that NBDUET_CHAT names. The test fails where it is missing.
func WithChat(t testing.TB) Option {
	t.Helper()
	if _, ok := bubbleOf(t); ok || !Real() {
		return func(c *config) { c.chat = true }
	}
	dir := installed(t, "NBDUET_CHAT", "chat", "jupyterlab_chat",
		"no jupyterlab-chat: run `make chat`, or name its folder with NBDUET_CHAT")
	return beside(dir)
}

// beside has a real server load what is installed in a folder of its own.
func beside(dir string) Option {
	return WithEnv("PYTHONPATH="+dir, "JUPYTER_CONFIG_PATH="+filepath.Join(dir, "etc", "jupyter"),
		"JUPYTER_PATH="+filepath.Join(dir, "share", "jupyter"))
}

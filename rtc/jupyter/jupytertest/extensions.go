package jupytertest

import (
	"path/filepath"
	"testing"
)

// WithChat gives a server jupyterlab-chat, which serves the rooms of .chat files: a fake has it built in, a real one
// loads it from .cache/chat, or from the folder NBDUET_CHAT. The test fails if it is missing.
func WithChat(t testing.TB) Option {
	t.Helper()
	if _, ok := bubbleOf(t); ok || !Real() {
		return func(c *config) { c.chat = true }
	}
	dir := installed(t, "NBDUET_CHAT", "chat", "jupyterlab_chat",
		"no jupyterlab-chat: run `make chat`, or name its folder with NBDUET_CHAT")
	return beside(dir)
}

// beside makes a real server load the packages of a separate folder.
func beside(dir string) Option {
	return WithEnv("PYTHONPATH="+dir, "JUPYTER_CONFIG_PATH="+filepath.Join(dir, "etc", "jupyter"),
		"JUPYTER_PATH="+filepath.Join(dir, "share", "jupyter"))
}

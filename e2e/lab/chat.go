package lab

import (
	"fmt"
	"os"
	"path/filepath"
)

// ChatVariable names the environment variable with the path of jupyterlab-chat; the default is `.cache/chat` at the top
// of the repository.
const ChatVariable = "NBDUET_CHAT"

// Chat returns Options.Env for a server with jupyterlab-chat, which is not in the environment of the others. The error
// says how to get it.
func Chat() (env []string, err error) {
	dir := os.Getenv(ChatVariable)
	if dir == "" {
		root, err := RepoRoot()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(root, ".cache", "chat")
	}
	if _, err := os.Stat(filepath.Join(dir, "jupyterlab_chat")); err != nil {
		return nil, fmt.Errorf("no jupyterlab-chat: run `make chat`, or name its folder with %s: %w", ChatVariable, err)
	}
	return []string{
		"PYTHONPATH=" + dir,
		"JUPYTER_CONFIG_PATH=" + filepath.Join(dir, "etc", "jupyter"),
		"JUPYTER_PATH=" + filepath.Join(dir, "share", "jupyter"),
	}, nil
}

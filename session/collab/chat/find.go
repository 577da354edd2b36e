package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/rtc"
	"github.com/nbduet/nbduet/rtc/jupyter"
)

// Limits of Find.
const (
	maxFound   = 10
	maxFolders = 5
)

// Find returns the chats in which people are likely to call an agent: first those that people in the lobby have open, then
// those beside open notebooks with the same name, then the others in these notebooks' folders. It returns at most ten, in
// that order, and skips folders that cannot be listed.
func (k *Keeper) Find(ctx context.Context, notebooks []jupyter.Path, lobby []rtc.Peer) []jupyter.Path {
	var found []jupyter.Path
	add := func(path jupyter.Path) {
		if len(found) < maxFound && IsChat(path) && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	for _, p := range lobby {
		// The current tab is "chat:<path>"; a chat in a side panel is only among the documents.
		_, current, _ := strings.Cut(p.Current, ":")
		for _, said := range append([]string{current}, p.Documents...) {
			if path, err := jupyter.ParsePath(said); err == nil && !p.Agent {
				add(path)
			}
		}
	}
	var beside, others []jupyter.Path
	var listed []jupyter.Path
	for _, nb := range notebooks {
		folder := nb.Folder()
		if slices.Contains(listed, folder) || len(listed) == maxFolders {
			continue
		}
		listed = append(listed, folder)
		for _, path := range k.inFolder(ctx, folder) {
			name := strings.TrimSuffix(path.String(), suffix)
			if slices.ContainsFunc(notebooks, func(nb jupyter.Path) bool { return strings.TrimSuffix(nb.String(), ".ipynb") == name }) {
				beside = append(beside, path)
			} else {
				others = append(others, path)
			}
		}
	}
	for _, path := range append(beside, others...) {
		add(path)
	}
	return found
}

// inFolder returns the chats of a folder, by name.
func (k *Keeper) inFolder(ctx context.Context, folder jupyter.Path) (chats []jupyter.Path) {
	c, err := k.cfg.Server.Contents.Get(ctx, folder, jupyter.ContentsOptions{Content: true, Type: "directory"})
	if err != nil {
		return nil
	}
	entries, err := c.Entries()
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type == "file" && IsChat(e.Path) {
			chats = append(chats, e.Path)
		}
	}
	slices.SortFunc(chats, jupyter.Path.Compare)
	return chats
}

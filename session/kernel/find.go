package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

// FindOrStart returns the Jupyter session of a notebook, so that people's tabs and this program share one kernel. If
// there is none, it starts one and returns started. name is shown to people; empty stands for the file's name.
// kernelName picks the kernelspec; empty stands for the notebook's (on disk), or the server's default if the notebook
// names none.
//
// A kernelspec that the server lacks is replaced by one for the same language; if there is none, the error lists the
// server's.
//
// srv is the kernels' server, and docs the notebook's, which is usually the same. If they differ, the notebook's path
// is only a name by which srv finds the kernel.
func FindOrStart(ctx context.Context, srv, docs *jupyter.Server, notebook, name, kernelName string) (s jupyter.Session, started bool, err error) {
	clean, err := jupyter.CleanPath(notebook)
	if err != nil {
		return jupyter.Session{}, false, err
	}
	sessions, err := srv.Sessions(ctx)
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("find the kernel of %s: %w", clean, err)
	}
	for _, s := range sessions {
		if s.Path == clean { // whatever its type: the server has one session for a path
			return s, false, nil
		}
	}
	if kernelName, err = chooseSpec(ctx, srv, docs, clean, kernelName); err != nil {
		return jupyter.Session{}, false, fmt.Errorf("start a kernel for %s: %w", clean, err)
	}
	if name == "" {
		name = path.Base(clean)
	}
	s, err = srv.CreateSession(ctx, jupyter.NewSession{Path: clean, Name: name, Type: "notebook", KernelName: kernelName})
	if err != nil {
		return jupyter.Session{}, false, fmt.Errorf("start a kernel for %s: %w", clean, err)
	}
	return s, true, nil
}

// chooseSpec returns the kernelspec to start; empty leaves it to the server.
func chooseSpec(ctx context.Context, srv, docs *jupyter.Server, notebook, wanted string) (string, error) {
	specs, err := srv.KernelSpecs(ctx)
	if err != nil {
		return "", err
	}
	var language string
	if _, ok := specs.Specs[wanted]; wanted == "" || !ok {
		named, lang, err := notebookSpec(ctx, docs, notebook)
		if err != nil {
			return "", err
		}
		if wanted == "" {
			wanted = named
		}
		language = lang
	}
	if _, ok := specs.Specs[wanted]; ok || wanted == "" {
		return wanted, nil
	}
	names := slices.Sorted(maps.Keys(specs.Specs))
	if i := slices.Index(names, specs.Default); i > 0 { // the default is the first choice
		names = slices.Insert(slices.Delete(names, i, i+1), 0, specs.Default)
	}
	for _, n := range names {
		if language != "" && strings.EqualFold(specs.Specs[n].Spec.Language, language) {
			return n, nil
		}
	}
	return "", fmt.Errorf("the server has no kernelspec %q (it has: %s)", wanted, strings.Join(names, ", "))
}

// notebookSpec reads which kernelspec and language a notebook names.
func notebookSpec(ctx context.Context, docs *jupyter.Server, notebook string) (name, language string, err error) {
	c, err := docs.Contents(ctx, notebook, jupyter.ContentsOptions{Content: true, Type: "notebook"})
	if err != nil {
		return "", "", err
	}
	var nb struct {
		Metadata struct {
			KernelSpec struct {
				Name     string `json:"name"`
				Language string `json:"language"`
			} `json:"kernelspec"`
			LanguageInfo struct {
				Name string `json:"name"`
			} `json:"language_info"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(c.Content, &nb); err != nil {
		return "", "", fmt.Errorf("read the kernelspec of %s: %w", notebook, err)
	}
	language = nb.Metadata.LanguageInfo.Name
	if language == "" {
		language = nb.Metadata.KernelSpec.Language
	}
	return nb.Metadata.KernelSpec.Name, language, nil
}

package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"

	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// noRTC matches the setting in JupyterLab's page configuration that keeps people's tabs out of the rooms
// (jupyter_server_ydoc's disable_rtc).
var noRTC = regexp.MustCompile(`"disableRTC"\s*:\s*"?true\b`)

// labVersion matches JupyterLab's version there.
var labVersion = regexp.MustCompile(`"appVersion"\s*:\s*"(([0-9]{1,4})\.([0-9]{1,4})[0-9A-Za-z.+-]{0,30})"`)

// CheckTabs returns the fault that keeps people's tabs out of the rooms although the server has rooms: JupyterLab is
// configured so ([faults.TabsApart]), or is too old to share them with us ([faults.OldCollaboration]). Otherwise it
// returns the zero Fault. A server without JupyterLab has no such tabs.
func (h Health) CheckTabs(ctx context.Context) (faults.Fault, error) {
	page, err := h.labPage(ctx, "/lab")
	if err != nil {
		return faults.Fault{}, err
	}
	if noRTC.Match(page) {
		return faults.New(faults.TabsApart, faults.Values{}), nil
	}
	if m := labVersion.FindSubmatch(page); m != nil {
		if major, minor := m[2], m[3]; len(major) == 1 && (major[0] < '4' || major[0] == '4' && len(minor) == 1 && minor[0] < '2') {
			return faults.New(faults.OldCollaboration, faults.Values{Detail: "it is that of JupyterLab " + string(m[1])}), nil
		}
	}
	return faults.Fault{}, nil
}

// labPage reads JupyterLab's page at a path; nil if the server has none.
func (h Health) labPage(ctx context.Context, path string) (page []byte, err error) {
	err = h.client.do(ctx, call{op: "read the configuration of JupyterLab", path: path, page: &page}, nil)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrNotJupyter) {
		return nil, nil
	}
	return page, err
}

// Versions are the versions of a server's parts; "" if unknown.
type Versions struct {
	// Server is the version of Jupyter Server.
	Server string
	// Lab is the version of JupyterLab.
	Lab string
	// Collaboration is the version of jupyter-collaboration, which may be switched off.
	Collaboration string
	// Duet is the version of the extension nbduet-jupyter of JupyterLab.
	Duet string
}

// Versions asks a server for its versions. The server answers from disk and memory, without network access.
func (h Health) Versions(ctx context.Context) (v Versions, err error) {
	if v.Server, err = h.Version(ctx); err != nil {
		return v, err
	}
	page, err := h.labPage(ctx, "/lab")
	if err != nil {
		return v, err
	}
	if m := labVersion.FindSubmatch(page); m != nil {
		v.Lab = string(m[1])
	}
	for name, version := range map[string]*string{"@jupyter/collaboration-extension": &v.Collaboration, "nbduet-jupyter": &v.Duet} {
		about, err := h.labPage(ctx, "/lab/extensions/"+name+"/package.json")
		if err != nil {
			return v, err
		}
		var extension struct {
			Version string `json:"version"`
		}
		if json.Unmarshal(about, &extension) == nil && len(extension.Version) <= 40 {
			*version = oneLine(extension.Version)
		}
	}
	return v, nil
}

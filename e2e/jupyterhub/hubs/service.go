package hubs

import (
	"context"
	"encoding/json"
	"fmt"
)

// placed replaces addresses, folders and programs in a page's service configuration with those of a test's hub. It comes
// after the page's part and before the part for tests.
const placed = `
import json, os

def place(services, texts):
    with open(os.environ["NBDUET_HUB_SETTINGS"]) as f:
        settings = json.load(f)
    site = settings["bind"].rstrip("/")
    text = json.dumps(services)
    for old, new in texts.items():
        text = text.replace(old, new.replace("SITE", site).replace("FOLDER", settings["folder"]))
    placed = json.loads(text)
    for service in placed:
        if "command" in service:
            # Who sweeps what a hub has left finds it by this.
            service["environment"] = dict(service.get("environment", {}), NBDUET_TESTS_HUB=settings["folder"], GORACE="atexit_sleep_ms=10")
    return placed

c.JupyterHub.services = place(c.JupyterHub.services, json.loads(%q))
`

// Free returns an unused address for a service.
func Free(ctx context.Context) (string, error) {
	all, err := free(ctx, 1)
	if err != nil {
		return "", err
	}
	return all[0], nil
}

// Place returns the configuration to add after a page's configuration of services: it replaces each text of the page
// with another, in which SITE is the hub's address and FOLDER the hub's temporary folder.
func Place(texts map[string]string) (string, error) {
	b, err := json.Marshal(texts)
	if err != nil {
		return "", fmt.Errorf("configure a service: %w", err)
	}
	return fmt.Sprintf(placed, b), nil
}

// API returns the address of the hub's API for services.
func (h *Hub) API() string { return h.URL + "/hub/api" }

// Secret returns the secret of the tests' own service in the hub, a token that does not belong to a user.
func (h *Hub) Secret() Token { return Token{Secret: h.secret} }

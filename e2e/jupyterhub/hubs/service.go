package hubs

import (
	"context"
	"encoding/json"
	"fmt"
)

// placed puts a service's configuration, as a page has it, where a test has its hub: addresses, folders, programs. It comes
// after the page's, and before ours.
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

// Free is an address at which nobody listens, for a service.
func Free(ctx context.Context) (string, error) {
	all, err := free(ctx, 1)
	if err != nil {
		return "", err
	}
	return all[0], nil
}

// Place is what stands after the configuration of services as a page has it: each text of the page is replaced by another,
// in which SITE is the hub's address and FOLDER the hub's temporary folder.
func Place(texts map[string]string) (string, error) {
	b, err := json.Marshal(texts)
	if err != nil {
		return "", fmt.Errorf("configure a service: %w", err)
	}
	return fmt.Sprintf(placed, b), nil
}

// API is the address of the hub's API for services.
func (h *Hub) API() string { return h.URL + "/hub/api" }

// Secret is the secret of the service that the tests are to the hub, and so a token that is no user's.
func (h *Hub) Secret() Token { return Token{Secret: h.secret} }

package datalayer

import (
	"strings"
	"testing"
)

// The values of a kernelspec's variables can be secrets: only their names are shown.
func TestEnvironmentHasNoValues(t *testing.T) {
	if got := environment(map[string]string{"PATH_TO": "/opt", "API_KEY": "s3cret"}); got != "API_KEY; PATH_TO" {
		t.Errorf("%q", got)
	}
	if got := environment(map[string]string{strings.Repeat("é", 200): "s3cret"}); got != strings.Repeat("é", 100)+"..." {
		t.Errorf("%q", got)
	}
}

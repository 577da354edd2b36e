package cacerts_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/rtc/jupyter/cacerts"
	"github.com/nbduet/nbduet/rtc/jupyter/faults"
)

// written returns a file with a text.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The certificate in a file is trusted in addition to the system's, whatever else is in the file.
func TestLoad(t *testing.T) {
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	defer srv.Close()
	cert := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}))
	roots, err := cacerts.Load(written(t, "a comment\n-----BEGIN X-----\nAAAA\n-----END X-----\n"+cert))
	if err != nil {
		t.Fatal(err)
	}
	get := func(transport *http.Transport) error {
		defer transport.CloseIdleConnections()
		resp, err := (&http.Client{Transport: transport}).Get(srv.URL)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	if err := get(&http.Transport{TLSClientConfig: cacerts.Config(roots)}); err != nil {
		t.Error(err)
	}
	err = get(&http.Transport{TLSClientConfig: cacerts.Config(nil)})
	if code, _ := cacerts.Fault(err); code != faults.PrivateCA {
		t.Errorf("without the file %v is of %q", err, code)
	}
}

// An invalid certificate file is refused with an explanation.
func TestNoCertificates(t *testing.T) {
	broken := "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	for file, says := range map[string]string{
		filepath.Join(t.TempDir(), "none.pem"):  "no such file",
		t.TempDir():                             "directory",
		written(t, ""):                          "has no certificate in it",
		written(t, "just words"):                "has no certificate in it",
		written(t, broken):                      "cannot be read",
		written(t, strings.Repeat("x", 17<<20)): "longer than 16 MiB",
	} {
		_, err := cacerts.Load(file)
		f, ok := faults.Of(err)
		must.True(t, ok, must.Sprint(err))
		test.Eq(t, faults.CAFile, f.Code, test.Sprint(err))
		test.StrContains(t, f.Error(), says, test.Sprint(err))
		test.StrContains(t, f.Error(), "--ca-file", test.Sprint(err))
	}
}

// Other errors are not certificate faults.
func TestOtherErrors(t *testing.T) {
	if code, _ := cacerts.Fault(os.ErrNotExist); code != "" {
		t.Errorf("%s", code)
	}
}

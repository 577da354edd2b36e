package fronts

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/lab"
)

// prefix is the path prefix of the page's configurations.
const prefix = "/team/lab/"

// page returns the page's block in the given language that contains the word.
func page(t *testing.T, language, word string) string {
	t.Helper()
	root, err := lab.RepoRoot()
	must.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "docs", "behind-a-proxy.md"))
	must.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], word) {
			return m[1]
		}
	}
	t.Fatalf("the page has no block in %s with %q", language, word)
	return ""
}

// put replaces texts in a block; each must occur.
func put(t *testing.T, block string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(block, pairs[i]) {
			t.Fatalf("the block has no %q:\n%s", pairs[i], block)
		}
		block = strings.ReplaceAll(block, pairs[i], pairs[i+1])
	}
	return block
}

// behind starts JupyterLab as the page says for a server behind a proxy.
func behind(t *testing.T, opt lab.Options) *lab.Lab {
	t.Helper()
	for _, arg := range strings.Fields(page(t, "sh", "jupyter lab"))[2:] {
		switch {
		case arg == "--no-browser", strings.HasPrefix(arg, "--ServerApp.ip="), strings.HasPrefix(arg, "--ServerApp.port="): // its own
		case arg == "--ServerApp.base_url="+prefix:
			opt.BaseURL = prefix
		default:
			opt.Args = append(opt.Args, arg)
		}
	}
	if opt.BaseURL == "" {
		t.Fatalf("the page has no prefix %s", prefix)
	}
	return jupyter(t, opt)
}

// An authority is a private certificate authority with a certificate for this machine.
type authority struct {
	ca, cert, key string // files
	pool          *x509.CertPool
}

// newAuthority makes an authority and a certificate that are valid from a time on, for two hours.
func newAuthority(t *testing.T, from time.Time) authority {
	t.Helper()
	dir := t.TempDir()
	a := authority{filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.NoError(t, err)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: from.Add(2 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	must.NoError(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must.NoError(t, err)
	own := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: from, NotAfter: from.Add(2 * time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	leaf, err := x509.CreateCertificate(rand.Reader, own, ca, &key.PublicKey, caKey)
	must.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	must.NoError(t, err)
	for file, block := range map[string]*pem.Block{
		a.ca: {Type: "CERTIFICATE", Bytes: signed}, a.cert: {Type: "CERTIFICATE", Bytes: leaf}, a.key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		must.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	}
	made, err := x509.ParseCertificate(signed)
	must.NoError(t, err)
	a.pool.AddCert(made)
	return a
}

// A proxy is a running proxy.
type proxy struct {
	url string // with the prefix
	dir string
	cmd *exec.Cmd
}

// nginx starts nginx with the page's configuration, or a broken one, in front of a Jupyter server.
func nginx(t *testing.T, a authority, l *lab.Lab, breaks ...string) *proxy {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // it is not on users' paths
	}
	dir, port := t.TempDir(), freePort(t)
	server := put(t, page(t, "nginx", "location"),
		"listen 443", fmt.Sprintf("listen 127.0.0.1:%d", port), "jupyter.example.org", "localhost", "/etc/ssl/jupyter.pem", a.cert, "/etc/ssl/jupyter.key", a.key,
		"127.0.0.1:8888", hostOf(l))
	server = put(t, server, breaks...)
	conf := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log info;
events { worker_connections 512; }
http {
log_format line '$status $request_time $request_uri';
access_log %[1]s/access.log line;
client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
%[2]s
}
`, dir, server)
	must.NoError(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o600))
	return launch(t, a, dir, port, program, "-c", filepath.Join(dir, "nginx.conf"), "-p", dir, "-e", filepath.Join(dir, "error.log"))
}

// caddy starts Caddy with the page's configuration.
func caddy(t *testing.T, a authority, l *lab.Lab) *proxy {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	conf := "{\nadmin off\nauto_https off\nstorage file_system " + dir + "\n}\n" + put(t, page(t, "caddy", "reverse_proxy"),
		"jupyter.example.org", fmt.Sprintf("localhost:%d", port), "/etc/ssl/jupyter.pem", a.cert, "/etc/ssl/jupyter.key", a.key,
		"127.0.0.1:8888", hostOf(l))
	must.NoError(t, os.WriteFile(filepath.Join(dir, "Caddyfile"), []byte(conf), 0o600))
	return launch(t, a, dir, port, "caddy", "run", "--adapter", "caddyfile", "--config", filepath.Join(dir, "Caddyfile"))
}

func launch(t *testing.T, a authority, dir string, port int, program string, args ...string) *proxy {
	t.Helper()
	p := &proxy{fmt.Sprintf("https://localhost:%d%s", port, prefix), dir, exec.Command(program, args...)}
	log, err := os.Create(filepath.Join(dir, "log"))
	must.NoError(t, err)
	defer log.Close()
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = append(lab.CleanEnv(), "HOME="+dir), log, log
	must.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		p.stop(t)
		if t.Failed() {
			for _, name := range []string{"log", "error.log", "access.log"} {
				text, _ := os.ReadFile(filepath.Join(dir, name))
				t.Logf("%s of %s:\n%s", name, program, text[max(0, len(text)-3000):])
			}
		}
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		c, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, "tcp", address, &tls.Config{RootCAs: a.pool, ServerName: "localhost"})
		if err == nil {
			must.NoError(t, c.Close())
			return p
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not answer: %v", program, err)
		}
	}
}

// stop ends the proxy with all its connections.
func (p *proxy) stop(t *testing.T) {
	t.Helper()
	if p.cmd.ProcessState != nil {
		return
	}
	must.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	patience := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer patience.Stop()
	_ = p.cmd.Wait()
}

// again starts a stopped proxy.
func (p *proxy) again(t *testing.T) {
	t.Helper()
	p.stop(t)
	env := p.cmd.Env
	p.cmd = exec.Command(p.cmd.Path, p.cmd.Args[1:]...)
	p.cmd.Env = env
	must.NoError(t, p.cmd.Start())
}

// lead restarts nginx for another server.
func (p *proxy) lead(t *testing.T, from, to *lab.Lab) {
	t.Helper()
	file := filepath.Join(p.dir, "nginx.conf")
	conf, err := os.ReadFile(file)
	must.NoError(t, err)
	must.NoError(t, os.WriteFile(file, []byte(put(t, string(conf), hostOf(from), hostOf(to))), 0o600))
	p.again(t)
}

// hostOf returns a server's host and port.
func hostOf(l *lab.Lab) string { return strings.Split(strings.TrimPrefix(l.URL, "http://"), "/")[0] }

// requests returns the lines of nginx's log whose address has the word. nginx writes a line when the connection ends.
func (p *proxy) requests(t *testing.T, word string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "access.log"))
	must.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, word) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	must.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

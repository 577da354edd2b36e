package up

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Obstacles to an installation outside this machine, in a line each.
var (
	errNoNetwork   = errors.New("the packages of JupyterLab cannot be fetched, because the network or their server cannot be reached: try again later, nothing is left half done")
	errCertificate = errors.New("the packages of JupyterLab cannot be fetched, because their server's certificate is not trusted, such as that of a company's proxy: name the company's certificate file in SSL_CERT_FILE and PIP_CERT and try again")
)

// install creates an environment in a folder that does not exist yet, and returns its Python.
func (m maker) install(ctx context.Context, base, dir string) (string, error) {
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("install JupyterLab: %w", err)
	}
	defer log.Close()
	began := time.Now()
	by, first := "pip", []string{base, "-I", "-m", "venv", dir}
	if m.uv != "" {
		by, first = "uv", []string{m.uv, "venv", "--no-project", "--python", base, dir}
	}
	m.errs.Note("installing JupyterLab with collaboration, once, with %s, into", by)
	m.errs.Line("  %s", m.errs.Faint(dir))
	if err := m.step(ctx, log, first, func(string) {}); err != nil {
		return "", err
	}
	program := inEnvironment(dir)
	if program == "" {
		return "", fmt.Errorf("%s created no Python in %s", by, dir)
	}
	list := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(list, []byte(requirements), 0o600); err != nil {
		return "", fmt.Errorf("install JupyterLab: %w", err)
	}
	// The lock is complete, so no dependency is resolved. Modules that are never imported need not be compiled.
	what := []string{"--require-hashes", "--only-binary", ":all:", "--no-deps", "-r", list}
	second := append([]string{program, "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--no-compile"}, what...)
	if m.uv != "" {
		second = append([]string{m.uv, "pip", "install", "--python", program}, what...)
	}
	p := newProgress(m.errs, dir)
	err = m.step(ctx, log, second, p.hear)
	p.done()
	if err != nil {
		return "", err
	}
	m.errs.Good("JupyterLab was installed in %.0f s", time.Since(began).Seconds())
	return program, nil
}

// step runs an installer and calls hear with each line of its output. The output also goes to the log.
func (m maker) step(ctx context.Context, log io.Writer, args []string, hear func(line string)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := command(ctx, args[0], args[1:]...)
	cmd.Dir = m.data // avoid a project in the working directory
	cmd.Env = installerEnv(cmd.Environ())
	pipe, said := io.Pipe()
	cmd.Stdout, cmd.Stderr = said, said
	var wrong string
	var outside error
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		lines := bufio.NewScanner(io.TeeReader(pipe, log))
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			if isWrong(line) && !strings.Contains(wrong, "rror") {
				wrong = line
			}
			if is := outsideOf(line); is != nil {
				outside = is
			}
			if outside != nil && patient.MatchString(line) {
				stop(outside) // pip would retry for a long time
			}
			hear(line)
		}
		_, _ = io.Copy(log, pipe) // after a line that is too long
	}()
	err := cmd.Run()
	_ = said.Close()
	<-heard
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case outside != nil && !errors.Is(context.Cause(ctx), context.Canceled):
		return outside
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return fmt.Errorf("install JupyterLab: %s failed (%w): %s (its output is in %s)", filepath.Base(args[0]), err, wrong, m.log)
	}
	return fmt.Errorf("install JupyterLab: %w", err)
}

// Messages of pip and uv about such obstacles. pip retries five times for each package, and prints how many retries are
// left.
var (
	patient     = regexp.MustCompile(`Retrying \(Retry\(total=[01],`)
	untrusted   = regexp.MustCompile(`(?i)certificate.?verify.?failed|SSLCertVerificationError|invalid peer certificate`)
	unreachable = regexp.MustCompile(`(?i)Retrying \(Retry\(total=[01],|dns error|tcp connect error|network is unreachable`)
)

// outsideOf returns the obstacle that a line reports, or nil.
func outsideOf(line string) error {
	switch {
	case untrusted.MatchString(line):
		return errCertificate
	case unreachable.MatchString(line):
		return errNoNetwork
	}
	return nil
}

func isWrong(line string) bool {
	lower := strings.ToLower(line)
	return strings.HasPrefix(lower, "error") || strings.Contains(lower, "error:") || strings.HasPrefix(lower, "× ") || strings.HasPrefix(lower, "cause")
}

// installerEnv removes variables that would make pip or uv install outside the environment.
func installerEnv(all []string) (env []string) {
	for _, pair := range all {
		name, _, _ := strings.Cut(strings.ToUpper(pair), "=")
		switch name {
		case "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_NO_BINARY", "PIP_CONSTRAINT", "PYTHONHOME", "PYTHONPATH",
			"UV_CONSTRAINT", "UV_OVERRIDE", "UV_SYSTEM_PYTHON", "UV_NO_BINARY", "VIRTUAL_ENV":
		default:
			env = append(env, pair)
		}
	}
	return append(env, "PIP_USER=0", "PYTHONUNBUFFERED=1", "NO_COLOR=1")
}

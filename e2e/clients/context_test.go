package clients_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/kit"
	"github.com/nbduet/nbduet/e2e/poll"
	"github.com/nbduet/nbduet/e2e/sdk"
)

// Each example of the context resources' contract, and its errors, with the SDK
// that hosts are built on.
func TestContextResources(t *testing.T) {
	ctx := t.Context()
	const file = "TestContextResources.yaml"
	must(t, os.WriteFile(kit.Jupyter(t).Path(file), []byte(kit.ProjectText), 0o600))
	c := typescriptStdio(t, "--project="+file, "--state=:memory:")
	read := func(uri string) string {
		t.Helper()
		got, err := c.Read(ctx, uri)
		must(t, err)
		if len(got) != 1 || got[0].URI != uri || got[0].MIMEType != "text/markdown" {
			t.Errorf("%s: %+v", uri, got)
		}
		return got[0].Text
	}
	refused := func(uri string, code int, message string) {
		t.Helper()
		var e *sdk.Error
		if _, err := c.Read(ctx, uri); !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Message, message) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	list, err := c.Resources(ctx)
	must(t, err)
	templates, err := c.Templates(ctx)
	must(t, err)
	listed := fmt.Sprint(list, templates)
	for _, uri := range []string{"context://project/overview", "context://module/{name}", "context://module/auth", "context://session/current", "context://sessions/recent", "context://sessions/recent{?limit}"} {
		if !strings.Contains(listed, uri) {
			t.Errorf("%s is not listed", uri)
		}
	}
	if text := read("context://project/overview"); !strings.HasPrefix(text, "# Project: My SaaS App\n\n**Type:** fullstack") {
		t.Error(text)
	}
	if text := read("context://module/auth"); !strings.HasPrefix(text, "# Module: auth\n") ||
		!strings.Contains(text, "## Patterns (2)\n\n- Use JWT tokens in httpOnly cookies\n- Implement token refresh with mutex locks") {
		t.Error(text)
	}
	refused("context://module/invalidModule", -32602, "Module not found: invalidModule")
	if text := read("context://session/current"); !strings.Contains(text, "No active session") {
		t.Error(text)
	}
	refused("context://sessions/recent?limit=none", -32602, "Invalid limit: none")
	refused("context://projects", -32600, "Unknown resource: context://projects")
	names, err := c.CompleteTemplate(ctx, "context://module/{name}", "name", "a", nil)
	if err != nil || len(names.Values) != 1 || names.Values[0] != "auth" {
		t.Errorf("completed: %+v, %v", names, err)
	}
	var kept struct{ Session string }
	typescriptDo(t, c, "record_context", map[string]any{"topics": []string{"logins"}}, &kept)
	if text := read("context://session/current"); !strings.HasPrefix(text, "# Active Session\n\n**Started:** 20") || !strings.Contains(text, "- logins\n") {
		t.Error(text)
	}
	if text := read("context://sessions/recent?limit=5"); !strings.HasPrefix(text, "# Recent Sessions (1)\n\n## Session "+kept.Session[:8]+"\n**Started:** 20") {
		t.Error(text)
	}
	prompts, err := c.Prompts(ctx)
	if err != nil || len(prompts) != 5 {
		t.Errorf("prompts: %+v, %v", prompts, err)
	}
	text, err := c.Prompt(ctx, "continue_work", map[string]string{"goal": "the login page"})
	if err != nil || len(text.Messages) != 1 || !strings.Contains(text.Messages[0].Content.Text, "the login page") {
		t.Errorf("prompt: %+v, %v", text, err)
	}
}

// A program that is killed has kept what it recorded; two may run at once.
func TestActivityOutlivesTheProgram(t *testing.T) {
	ctx := t.Context()
	state := filepath.Join(t.TempDir(), "activity.db")
	file := kit.Binary(t)
	killed, err := agent.Start(ctx, agent.Options{Binary: file, Args: []string{"--state=" + state}, Env: kit.AgentEnv(t)})
	must(t, err)
	beside := typescriptStdio(t, "--state="+state)
	_, err = killed.Do(ctx, "record_context", map[string]any{"topics": []string{"before the end"}, "discovery": "it stays"}, nil)
	must(t, err)
	seen := func(ctx context.Context) error {
		got, err := beside.Read(ctx, "context://sessions/recent")
		if err == nil && !strings.Contains(got[0].Text, "**Topics:** before the end  \n**Discoveries:** 1") {
			err = errors.New(got[0].Text)
		}
		return err
	}
	must(t, poll.Until(ctx, "the other program to see it", seen))
	killed.Kill()
	_ = killed.Close() // it was killed, and says so
	must(t, seen(ctx))
	again := kit.StartAgent(t, "--state="+state)
	_, err = again.Do(ctx, "record_context", map[string]any{"topics": []string{"afterwards"}}, nil)
	must(t, err)
	must(t, poll.Until(ctx, "the next to be seen", func(ctx context.Context) error {
		got, err := beside.Read(ctx, "context://sessions/recent")
		if err == nil && !strings.HasPrefix(got[0].Text, "# Recent Sessions (2)\n") {
			err = errors.New(got[0].Text)
		}
		return err
	}))
}

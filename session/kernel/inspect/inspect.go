package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/kernel/userexpr"
	"github.com/nbduet/nbduet/session/textfmt"
)

// A Kernel is a kernel to inspect. For R it must also be a [PayloadKernel].
type Kernel = userexpr.Kernel

// ErrBusy reports that the kernel cannot be queried, because it runs other code.
var ErrBusy = userexpr.ErrBusy

// ErrSlow reports that the kernel did not answer in time.
var ErrSlow = textfmt.Fixed("the kernel did not answer in time")

// A LanguageError reports that kernels of this language cannot be inspected.
type LanguageError struct{ Language string }

func (e *LanguageError) Error() string {
	return fmt.Sprintf("the variables of a %s kernel cannot be inspected, only those of Python, R and Julia"+textfmt.Hint(": print them with execute_code"), e.Language)
}

// A Refusal is the kernel's answer if it cannot show the requested value. Code is "variable_not_found", "not_readable" (a
// property, or an attribute or table that fails), "not_a_dataframe", "interrupted" or "failed".
type Refusal struct{ Code, Message string }

func (e *Refusal) Error() string { return e.Message }

// The kinds of inspections.
const (
	askList   = "list"
	askDetail = "detail"
	askFrame  = "frame"
)

// The time limits of inspections inside the kernel, and how much longer to wait for the answer.
const (
	listTime   = 2 * time.Second
	detailTime = 4 * time.Second
	frameTime  = 8 * time.Second
	grace      = 10 * time.Second
)

// ask sends one question to the kernel and decodes its answer.
func ask(ctx context.Context, k Kernel, kind string, within time.Duration, question map[string]any, answer any) error {
	if err := userexpr.Idle(ctx, k); errors.Is(err, ErrBusy) {
		return err
	} else if err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	language, err := k.Language(ctx)
	if err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	question["seconds"] = within.Seconds()
	check, inspection := provider(k, language, kind)
	if inspection == nil {
		return &LanguageError{language}
	}
	if quiet, _ := question["quiet"].(bool); quiet && !strings.EqualFold(language, "python") {
		return &Refusal{NotReadable, "--read-only runs no code in the kernel, which a value of " + language + " needs to be shown: only the list of variables is available"}
	}
	if name, ok := question["name"].(string); ok {
		if err := check(name); err != nil {
			return err
		}
	}
	limited, stop := context.WithTimeout(ctx, within+grace)
	defer stop()
	text, err := inspection(limited, question)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return fmt.Errorf("inspect: %w", errors.Join(ErrSlow, err))
	case err != nil:
		return fmt.Errorf("inspect: %w", err)
	}
	var refusal struct{ Error, Message string }
	if err := json.Unmarshal(text, &refusal); err != nil {
		return fmt.Errorf("read the inspection result: %w", err)
	}
	if refusal.Error != "" {
		return &Refusal{refusal.Error, refusal.Message}
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("read the inspection result: %w", err)
	}
	return nil
}

// provider returns a language's check of names and its inspection; both are nil for an unsupported language.
func provider(k Kernel, language, kind string) (check func(string) error, inspection func(context.Context, map[string]any) (json.RawMessage, error)) {
	switch r, payload := k.(PayloadKernel); {
	case strings.EqualFold(language, "python"):
		return CheckName, func(ctx context.Context, question map[string]any) (json.RawMessage, error) {
			return pythonInspection(ctx, k, kind, question)
		}
	case strings.EqualFold(language, "r") && payload && rSources[kind] != "":
		return checkRName, func(ctx context.Context, question map[string]any) (json.RawMessage, error) {
			return rInspection(ctx, r, rSources[kind], question)
		}
	case strings.EqualFold(language, "julia") && slices.Contains(juliaKinds, kind):
		return checkJuliaName, func(ctx context.Context, question map[string]any) (json.RawMessage, error) {
			return juliaInspection(ctx, k, kind, question)
		}
	}
	return nil, nil
}

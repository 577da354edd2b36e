package program_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/e2e/kit"
)

const manyClients = 50

// handles are the names of a client's objects, for its neighbour to try.
type handles struct {
	mu   sync.Mutex
	made []struct{ session, run, image string }
}

// Fifty clients of all kinds work in one process at once, each with its own marks: no client gets another's answer, or
// an object by another's handle. NBDUET_HTTP_SOAK is the duration, such as 2m; the default is one round.
func TestManyClientsOverHTTP(t *testing.T) {
	end := time.Time{}
	if s := os.Getenv("NBDUET_HTTP_SOAK"); s != "" {
		d, err := time.ParseDuration(s)
		must.NoError(t, err)
		end = time.Now().Add(d)
	}
	// A client without a session is identified by its token.
	w := kit.StartWeb(t, manyClients)
	cells := make([]kit.Cell, manyClients)
	for i := range cells {
		cells[i] = kit.Code("0")
	}
	path := kit.NewNotebook(t, cells...)
	all := &handles{made: make([]struct{ session, run, image string }, manyClients)}
	errs := make([]error, manyClients)
	var working, first sync.WaitGroup
	first.Add(manyClients)
	for i := range manyClients {
		working.Go(func() {
			how := []string{kit.ViaStream, kit.ViaModern, kit.ViaEvents}[i%3]
			token := w.Tokens[0]
			if how == kit.ViaModern {
				token = w.Tokens[i]
			}
			c, err := w.Dial(t.Context(), how, token)
			guest := manyGuest{GoClient: c, i: i, path: path, all: all, long: !end.IsZero(), runs: map[string]bool{}}
			if err == nil {
				err = guest.round(t.Context(), 0)
			}
			first.Done()
			first.Wait() // the neighbour exists now
			for round := 1; err == nil; round++ {
				if err = guest.tries(t.Context()); err != nil || !time.Now().Before(end) {
					break
				}
				err = guest.round(t.Context(), round)
			}
			if err != nil {
				err = fmt.Errorf("client %d, by %s: %w", i, how, err)
			}
			if c.Client != nil {
				err = errors.Join(err, c.Close())
			}
			errs[i] = err
		})
	}
	working.Wait()
	must.NoError(t, errors.Join(errs...))
}

type manyGuest struct {
	kit.GoClient
	i    int
	path string
	all  *handles
	long bool   // there is time for all
	mine string // the session; "" without one
	runs map[string]bool
}

// round writes a cell, runs it, and checks all lists.
func (g *manyGuest) round(ctx context.Context, n int) error {
	mark := fmt.Sprintf("mark-%d-%d", g.i, n)
	source := fmt.Sprintf("from IPython.display import SVG, display\nprint(%q)\n"+
		"display(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><text>%s</text></svg>'))", mark, mark)
	var ran struct {
		Results []struct {
			RunID   string `json:"run_id"`
			State   string `json:"state"`
			Outputs []struct {
				Text string            `json:"text"`
				Data map[string]string `json:"data"`
			} `json:"outputs"`
		} `json:"execution_results"`
	}
	at := map[string]any{"start": g.i}
	if err := g.Do(ctx, "read_nb_cells", map[string]any{"path": g.path, "ranges": []any{at}}, &struct{}{}); err != nil {
		return err
	}
	if err := g.Do(ctx, "modify_nb_cells", map[string]any{
		"path": g.path, "modifications": []map[string]any{{"range": at, "content": source}}, "exec": true, "timeout": 600,
	}, &ran); err != nil {
		return err
	}
	if len(ran.Results) != 1 || ran.Results[0].State != "done" || len(ran.Results[0].Outputs) != 2 || ran.Results[0].Outputs[0].Text != mark+"\n" {
		return fmt.Errorf("%s is answered with %+v", mark, ran)
	}
	res := ran.Results[0]
	g.runs[res.RunID] = true
	image := res.Outputs[1].Data["image/svg+xml"]
	_, image, _ = strings.Cut(image, "jupyter://")
	image = "jupyter://" + strings.TrimSuffix(image, ">")
	if g.mine == "" && (g.i%5 == 0 || g.long) { // each costs Jupyter some requests
		var made struct {
			ID string `json:"session_id"`
		}
		if err := g.Do(ctx, "session_connect", map[string]any{"notebook_path": g.path}, &made); err != nil {
			return err
		}
		g.mine = made.ID
	}
	if err := g.lists(ctx); err != nil {
		return err
	}
	var got struct {
		Data string `json:"description"`
	}
	if err := g.Do(ctx, "get_image_resource", map[string]any{"resource_uri": image, "include_data": false}, &got); err != nil {
		return err
	}
	g.all.mu.Lock()
	defer g.all.mu.Unlock()
	g.all.made[g.i].session, g.all.made[g.i].run, g.all.made[g.i].image = g.mine, res.RunID, image
	return nil
}

// tries requests the neighbour's objects.
func (g *manyGuest) tries(ctx context.Context) error {
	g.all.mu.Lock()
	other := g.all.made[(g.i+1)%manyClients]
	g.all.mu.Unlock()
	if other.run == "" {
		return nil // it has failed and reported that
	}
	for tool, args := range map[string]map[string]any{
		"get_run":            {"run_id": other.run},
		"cancel_run":         {"run_id": other.run},
		"get_image_resource": {"resource_uri": other.image},
		"get_variables":      {"session_id": other.session},
		"session_delete":     {"session_id": other.session},
	} {
		if args["session_id"] == "" {
			continue
		}
		var got map[string]any
		err := g.Do(ctx, tool, args, &got)
		if err == nil {
			return fmt.Errorf("%s of another client's is answered with %v", tool, got)
		} else if !strings.Contains(err.Error(), "no ") && !strings.Contains(err.Error(), "unknown in this session") {
			return fmt.Errorf("%s of another client's: %w", tool, err)
		}
	}
	return nil
}

// lists checks that only the client's own objects are listed.
func (g *manyGuest) lists(ctx context.Context) error {
	var runs struct {
		Runs []struct {
			ID string `json:"run_id"`
		} `json:"runs"`
		Total int `json:"total"`
	}
	if err := g.Do(ctx, "list_runs", map[string]any{"limit": 200}, &runs); err != nil {
		return err
	}
	if len(runs.Runs) == 0 {
		return errors.New("no runs are listed")
	}
	for _, r := range runs.Runs {
		if !g.runs[r.ID] {
			return fmt.Errorf("another client's run %s is listed", r.ID)
		}
	}
	if g.mine == "" && !g.long {
		return nil
	}
	var sessions struct {
		Sessions []struct {
			ID string `json:"session_id"`
		} `json:"sessions"`
	}
	if err := g.Do(ctx, "session_list", nil, &sessions); err != nil {
		return err
	}
	if len(sessions.Sessions) != 1 || sessions.Sessions[0].ID != g.mine {
		return fmt.Errorf("the sessions are %+v, and %s is its own", sessions, g.mine)
	}
	return nil
}

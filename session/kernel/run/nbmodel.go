package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/kernel/output"
	"github.com/nbduet/nbduet/ydoc"
)

// With ExecuteServer jupyter-server-nbmodel runs a cell and writes its outputs into the room. The server gets the run,
// which is then followed in three places: its request, which alone tells that the code asks for input and how it ended;
// the room, which has the outputs, and the end even if the request is gone; and the kernel's socket, because a request
// stays pending for ever if its kernel was restarted or died.

const (
	// requestEvery is the shortest pause between two looks at a request, and requestMax the longest. An answer holds
	// all outputs so far, so the pause is requestRest times the duration of the last look.
	requestEvery = 100 * time.Millisecond
	requestMax   = 3 * time.Second
	requestRest  = 10
	// cellEvery is the pause between two looks at the cell.
	cellEvery = 50 * time.Millisecond
	// cellWait is how long the cell and the request may disagree on whether the run has ended.
	cellWait = 3 * time.Second
)

// nbmodelKey is the cell metadata with which jupyter-server-nbmodel marks a cell that it runs.
const nbmodelKey = "jupyter_server_nbmodel"

// byNbmodel runs cells by jupyter-server-nbmodel.
type byNbmodel struct{ *Cells }

// serverRun is one run that the server executes.
type serverRun struct {
	*Cells
	srv      *jupyter.Server
	r        *Run
	w        *output.Writer
	in       *inputs
	conn     *kernel.Conn
	id       string // of the request
	refuse   refusal
	question string    // the last one that was handled
	last     ydoc.Cell // as it was last seen
}

// Run makes the server run a cell, and follows it to its end.
func (n byNbmodel) Run(r *Run, source string, w *output.Writer) (State, error) {
	conn, news, err := n.nb.Link().Connect(n.ctx)
	if err != nil {
		return Cancelled, fmt.Errorf("not run: %w", err)
	}
	r.add(news)
	if r.interruptAsked() {
		return Cancelled, r.cancelled()
	}
	// The server must have the room open, and the cell in it.
	room := n.nb.Joined().Room
	while, end := conn.While(n.ctx)
	refuse, err := n.handOver(while, r, w)
	end()
	if gone := conn.Err(); err != nil && gone != nil {
		return Cancelled, fmt.Errorf("not run: %w", gone)
	}
	if err != nil {
		return Cancelled, fmt.Errorf("not run: its room was lost: %w", err)
	}
	srv := n.nb.Servers().Runtime
	cell, _ := n.nb.Notebook().Cell(r.CellID)
	id, err := srv.Kernels.StartServerRun(n.ctx, conn.KernelID(), source, room.ID(), cell.NBID)
	if err != nil {
		return refuse(err)
	}
	ctx, stop := context.WithCancel(n.ctx)
	in := &inputs{q: n.Queue, r: r, conn: serverInput{srv, conn.KernelID()}, ctx: ctx}
	s := &serverRun{Cells: n.Cells, srv: srv, r: r, w: w, in: in, conn: conn, id: id, refuse: refuse}
	state, err := s.follow()
	stop()
	in.wg.Wait()
	if err == nil {
		n.describe(r, conn)
	}
	if n.ctx.Err() != nil {
		w.Leave() // it goes on without us
		return Lost, errors.New("the session of its notebook was ended; the server goes on with the cell, and writes its output while somebody has the notebook open, and for a minute after that")
	}
	if serverGone(err) {
		w.Leave() // if it only stands still, it goes on with the cell
		return Lost, err
	}
	if errors.Is(err, kernel.ErrKernelDead) {
		n.nb.Link().Forget(conn, err)
	}
	s.tidy(lossNote(err))
	if in.err() != nil {
		return Interrupted, in.err()
	}
	return state, err
}

// follow follows the run to its end.
func (s *serverRun) follow() (State, error) {
	var ended time.Time // when the cell was first seen to have ended
	next := time.Now()
	for {
		select {
		case <-s.ctx.Done():
			return Lost, s.ctx.Err()
		case <-time.After(cellEvery):
		}
		if err := s.gone(); err != nil {
			return Lost, err
		}
		if !s.look() {
			ended = time.Time{}
		} else if ended.IsZero() {
			ended, next = time.Now(), time.Time{}
		} else if time.Since(ended) > cellWait {
			return s.outcome(""), nil
		}
		if time.Now().Before(next) {
			continue
		}
		began := time.Now()
		st, err := s.srv.Kernels.ServerRun(s.ctx, s.conn.KernelID(), s.id)
		next = time.Now().Add(min(max(requestEvery, requestRest*time.Since(began)), requestMax))
		switch {
		case err == nil && st.Status == jupyter.ServerRunInput && !ended.IsZero():
			return s.outcome(""), nil // the code was interrupted: its question stays
		case err == nil:
			if done, state, err := s.learn(st); done {
				return state, err
			}
		case errors.Is(err, jupyter.ErrServer):
			return s.failed(err)
		case errors.Is(err, jupyter.ErrNotFound):
			if s.settle() {
				return s.outcome(""), nil
			}
			return Lost, errors.New("the server no longer knows the run: the server was restarted, or somebody else has fetched its result")
		}
		// Other errors may be transient: the kernel's socket tells if the kernel is gone.
	}
}

// gone is why the kernel will not end the run, nil if it may.
func (s *serverRun) gone() error {
	if err := s.conn.Gone(); err != nil {
		return err
	}
	if err := s.conn.Restarted(); err != nil {
		return err
	}
	return s.conn.Err()
}

// learn handles the state of the request.
func (s *serverRun) learn(st jupyter.ServerRun) (done bool, state State, err error) {
	if st.Status != jupyter.ServerRunQueued && s.r.take() {
		s.interruptLate(s.r)
	}
	switch st.Status {
	case jupyter.ServerRunInput:
		// The request keeps a question until it has processed the answer. A second answer would count for the next
		// question, and hide it.
		if st.Question != s.question {
			s.question = st.Question
			q := Question{Path: s.r.Path, CellID: s.r.CellID, Prompt: st.Prompt, Password: st.Password}
			s.in.wg.Go(func() { s.in.answer(q) })
		}
	case jupyter.ServerRunComplete:
		s.settle()
		s.w.Mirror(s.last.Outputs, st.Count)
		if st.Outcome == "aborted" {
			return true, Cancelled, errors.New("the kernel dropped it from its queue, because a cell of somebody else had failed")
		}
		return true, s.outcome(st.Outcome), nil
	}
	return false, "", nil
}

// failed is the outcome of a run that the extension has given up, or never begun.
func (s *serverRun) failed(err error) (State, error) {
	var e *jupyter.Error
	if !errors.As(err, &e) {
		return Lost, err
	}
	switch {
	case strings.Contains(e.Message, "previous queued request failed"):
		_, err := s.refuse(err)
		return Cancelled, fmt.Errorf("the server dropped it from its queue, because a cell of somebody else had failed (%w)", err)
	case strings.Contains(e.Message, "Superseded"):
		return Cancelled, errors.New("the server dropped it from its queue, because somebody else ran the same cell after it")
	}
	return Lost, fmt.Errorf("jupyter-server-nbmodel failed to run the cell, whose code may go on running: %w", err)
}

// look copies the cell's outputs to the run, and reports whether the cell has ended.
func (s *serverRun) look() bool {
	c, ok := s.nb.Notebook().Cell(s.r.CellID)
	if !ok || s.nb.Joined().Room.Err() != nil {
		return false // deleted while it ran, or its room is being joined again
	}
	s.last = c
	s.w.Mirror(c.Outputs, c.ExecutionCount)
	return c.ExecutionState != ydoc.Running && c.ExecutionCount != nil
}

// settle waits until the room has all of an ended run, and reports whether the cell shows the end.
func (s *serverRun) settle() bool {
	ctx, stop := context.WithTimeout(s.ctx, cellWait)
	defer stop()
	for {
		_ = s.nb.Settled(ctx) // if that fails, the cell tells
		if s.look() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(cellEvery):
		}
	}
}

// outcome is the final state of a run. reply is "ok", "error" or, from kernels made with ipykernel's base class,
// "abort"; "" if unknown.
func (s *serverRun) outcome(reply string) State {
	for _, o := range s.last.Outputs {
		switch {
		case o["output_type"] != "error":
		case o["ename"] == "KeyboardInterrupt":
			return Interrupted
		case reply == "":
			reply = "error"
		}
	}
	switch {
	case reply == "ok" || reply == "":
		return Done
	case reply == "abort" || s.r.interruptAsked():
		return Interrupted
	}
	return Failed
}

// tidy finishes a cell that the server does not finish: it removes the server's mark and adds a note.
func (s *serverRun) tidy(note string) {
	c, ok := s.nb.Notebook().Cell(s.r.CellID)
	if !ok {
		return
	}
	if c.ExecutionState != ydoc.Running {
		s.w.Leave()
		return
	}
	ctx, stop := context.WithTimeout(s.ctx, writeTimeout)
	defer stop()
	err := s.nb.Edit(ctx, "run", func(e *ydoc.Editor) error {
		if _, ok := e.Index(s.r.CellID); !ok {
			return nil
		}
		if note != "" {
			if err := e.AppendStream(s.r.CellID, "stderr", "\n["+note+"]\n"); err != nil {
				return err
			}
		}
		if _, ok := c.Metadata[nbmodelKey]; ok {
			return e.DeleteCellMetadata(s.r.CellID, nbmodelKey)
		}
		return nil
	})
	if err != nil {
		s.table.cfg.Log.Warn("a cell whose run was lost in the server was not tidied up", "path", s.r.Path, "run", s.r.ID, "error", err)
	}
	s.look()
}

// serverInput sends answers to the extension, which passes them on.
type serverInput struct {
	srv    *jupyter.Server
	kernel string
}

// Input answers the question of the current run.
func (i serverInput) Input(ctx context.Context, line string) error {
	return i.srv.Kernels.AnswerServerRun(ctx, i.kernel, line)
}

package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/kernel"
	"github.com/nbduet/nbduet/session/output"
	"github.com/nbduet/nbduet/ydoc"
)

// With ExecuteServer jupyter-server-nbmodel runs a cell and writes it into the room. A run is handed over there, and
// followed in three places: by its request, which alone tells that the code asks for input and how it ended; in the
// room, which has the outputs, and the end also where the request does not tell it any more; and by the kernel's
// socket, for a request whose kernel was restarted or has died stays pending for ever.

const (
	// requestEvery is the shortest pause between two looks at a request, and requestMax the longest: an answer holds
	// all outputs so far, so that the pause is some times what the last look took.
	requestEvery = 100 * time.Millisecond
	requestMax   = 3 * time.Second
	requestRest  = 10
	// cellEvery is the pause between two looks at the cell.
	cellEvery = 50 * time.Millisecond
	// cellWait is how long the cell and the request may differ on the end.
	cellWait = 3 * time.Second
)

// nbmodelKey is where jupyter-server-nbmodel notes in a cell that it runs it.
const nbmodelKey = "jupyter_server_nbmodel"

// byNbmodel has jupyter-server-nbmodel run a cell.
type byNbmodel struct{ *Cells }

// serverRun is one run that the server carries out.
type serverRun struct {
	*Cells
	srv      *jupyter.Server
	r        *Run
	w        *output.Writer
	in       *inputs
	conn     *kernel.Conn
	id       string    // of the request
	question string    // the last that was seen to
	last     ydoc.Cell // as it was last seen
}

// Run has the server run a cell, and follows it to its end.
func (n byNbmodel) Run(r *Run, source string, w *output.Writer) (State, error) {
	conn, news, err := n.nb.Link().Connect(n.ctx)
	if err != nil {
		return Lost, fmt.Errorf("connect to a kernel: %w", err)
	}
	r.add(news)
	if r.interruptAsked() {
		return Cancelled, r.cancelled()
	}
	// The server has to have the room open, and the cell in it.
	room := n.nb.Joined().Room
	if err := room.Barrier(n.ctx); err != nil {
		return Lost, fmt.Errorf("not run: its room was lost: %w", err)
	}
	w.Mirror(nil, nil)
	srv := n.nb.Servers().Kernels
	id, err := srv.StartServerRun(n.ctx, conn.KernelID(), source, room.ID(), r.CellID)
	if err != nil {
		return Failed, err
	}
	ctx, stop := context.WithCancel(n.ctx)
	in := &inputs{q: n.Queue, r: r, conn: serverInput{srv, conn.KernelID()}, ctx: ctx}
	s := &serverRun{Cells: n.Cells, srv: srv, r: r, w: w, in: in, conn: conn, id: id}
	state, err := s.follow()
	stop()
	in.wg.Wait()
	if n.ctx.Err() != nil {
		w.Leave() // it is not ours any more, and goes on
		return Lost, errors.New("the session of its notebook was ended; the server goes on with the cell, and writes what comes of it for as long as somebody has the notebook open, and a minute after that")
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
		st, err := s.srv.ServerRun(s.ctx, s.conn.KernelID(), s.id)
		next = time.Now().Add(min(max(requestEvery, requestRest*time.Since(began)), requestMax))
		switch {
		case err == nil && st.Status == jupyter.ServerRunInput && !ended.IsZero():
			return s.outcome(""), nil // the code was interrupted: nothing takes its question back
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
			return Lost, errors.New("the server no longer knows of the run: it was restarted, or somebody else has asked for its end")
		}
		// Whatever else is wrong with the connection: the kernel's socket knows when it is for good.
	}
}

// gone is why the kernel will not end the run, nil where it may.
func (s *serverRun) gone() error {
	if err := s.conn.Gone(); err != nil {
		return err
	}
	if err := s.conn.Restarted(); err != nil {
		return err
	}
	return s.conn.Err()
}

// learn takes in what the request says.
func (s *serverRun) learn(st jupyter.ServerRun) (done bool, state State, err error) {
	if st.Status != jupyter.ServerRunQueued && s.r.take() {
		s.interruptLate(s.r)
	}
	switch st.Status {
	case jupyter.ServerRunInput:
		// The request keeps a question until it has taken in the answer. A second answer would be taken for the next
		// question's, and hide that.
		if st.Question != s.question {
			s.question = st.Question
			q := Question{Path: s.r.Path, CellID: s.r.CellID, Prompt: st.Prompt, Password: st.Password}
			s.in.wg.Go(func() { s.in.answer(q) })
		}
	case jupyter.ServerRunComplete:
		s.settle()
		s.w.Mirror(s.last.Outputs, st.Count)
		if st.Outcome == "aborted" {
			return true, Cancelled, errors.New("the kernel dropped it from its queue, because a cell of somebody else's had failed")
		}
		return true, s.outcome(st.Outcome), nil
	}
	return false, "", nil
}

// failed is a run that the extension has given up, or never begun.
func (s *serverRun) failed(err error) (State, error) {
	var e *jupyter.Error
	if !errors.As(err, &e) {
		return Lost, err
	}
	switch {
	case strings.Contains(e.Message, "previous queued request failed"):
		return Cancelled, errors.New("the server dropped it from its queue, because a cell of somebody else's had failed")
	case strings.Contains(e.Message, "Superseded"):
		return Cancelled, errors.New("the server dropped it from its queue, because somebody else had the same cell run after it")
	}
	return Lost, fmt.Errorf("jupyter-server-nbmodel failed over the cell, whose code may go on running: %w", err)
}

// look shows the run as its cell is now, and reports whether that has ended.
func (s *serverRun) look() bool {
	c, ok := s.nb.Notebook().Cell(s.r.CellID)
	if !ok || s.nb.Joined().Room.Err() != nil {
		return false // deleted while it ran, or its room is being joined afresh
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
		_ = s.nb.Settled(ctx) // where that fails the cell is what tells
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

// outcome is how a run has ended of which the reply says "ok", "error" or, as kernels made with ipykernel's base class
// do, "abort"; "" where nobody says.
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

// tidy sees to a cell that the server does not finish: it takes away its mark, and adds what there is to say.
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

// serverInput gives answers to the extension, which passes them on.
type serverInput struct {
	srv    *jupyter.Server
	kernel string
}

// Input answers what the run that goes on has asked.
func (i serverInput) Input(ctx context.Context, line string) error {
	return i.srv.AnswerServerRun(ctx, i.kernel, line)
}

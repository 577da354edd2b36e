package deps

import (
	"context"
	"errors"
	"time"

	"github.com/nbduet/nbduet/session/kernel/figure"
	"github.com/nbduet/nbduet/session/render/images"
	"github.com/nbduet/nbduet/session/service/analysis"
	"github.com/nbduet/nbduet/tools/render"
	"github.com/nbduet/nbduet/tools/tool"
)

// A sketcher draws figures in kernels, one at a time in each kernel.
type sketcher struct {
	*Deps
	turns tool.KeyedLock // by the kernel's id
}

// draw draws a figure in the kernel of its notebook or analysis session. It does not start a kernel.
func (s *sketcher) draw(ctx context.Context, from images.Origin, fig []byte, within time.Duration) (png string, err error) {
	if s.ReadOnly {
		return "", &figure.NoPicture{Why: "no code is run with --read-only"}
	}
	client := tool.ClientOf(ctx)
	by := func(a *analysis.Session) error {
		png, err = s.drawIn(ctx, a, fig, within)
		return err
	}
	if !from.Path.IsRoot() {
		err = s.Analyses.Look(ctx, client, from.Path, by)
	} else if a, none := s.Analyses.Get(client, from.Session); none == nil {
		err = by(a)
	} else {
		return "", &figure.NoPicture{} // of code that ran in another kernel
	}
	if errors.Is(err, analysis.ErrNoSession) {
		return "", &figure.NoPicture{Why: "its kernel is no longer running"}
	}
	return png, err
}

func (s *sketcher) drawIn(ctx context.Context, a *analysis.Session, fig []byte, within time.Duration) (string, error) {
	until := time.Now().Add(within)
	turn, stop := context.WithDeadline(ctx, until)
	defer stop()
	done, err := s.turns.Lock(turn, a.KernelID())
	switch {
	case err != nil && ctx.Err() == nil:
		return "", &figure.NoPicture{Why: "its kernel is busy drawing others"}
	case err != nil:
		return "", err
	}
	defer done()
	within = time.Until(until)
	kept, name := s.Images.Plots.Kept, figure.NameOf(fig)
	if png, ok := kept.Get(name); ok { // by the previous call
		return png, nil
	}
	if no := kept.Refused(name, a.KernelID()); no != nil {
		return "", no
	}
	png, err := figure.Draw(ctx, a, fig, within)
	var no *figure.NoPicture
	switch {
	case err == nil:
		kept.Keep(name, png)
	case errors.As(err, &no) && no.Lasting && within > render.DrawTime/2: // a lack of time was not the reason
		kept.Refuse(name, a.KernelID(), no)
	}
	return png, err
}

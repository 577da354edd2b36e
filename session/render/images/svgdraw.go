package images

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // for the rasteriser
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
)

// rasteriser is the program in the folder raster, which draws SVG; that folder documents its build. Compressed, it has a
// third of its size.
//
//go:embed raster/raster.wasm.gz
var rasteriser []byte

const (
	// drawPages bounds the memory of one drawing, in pages of 64 KiB: 256 MiB.
	drawPages = 4096
	// drawTime bounds the time of one drawing; plots take some hundredths of a second.
	drawTime = slowdown * 20 * time.Second
	// maxOwnSide is the largest side that is reported for an SVG.
	maxOwnSide = 1 << 30
)

// fonts draw all text, regardless of the font it names.
var fonts = [][]byte{goregular.TTF, gobold.TTF, goitalic.TTF, gomono.TTF}

// sandbox returns the rasteriser, loaded once in the process when the first SVG is drawn.
var sandbox = sync.OnceValues(func() (compiled, error) {
	program, err := inflated(rasteriser)
	if err != nil {
		return compiled{}, err
	}
	return load(program)
})

func inflated(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("unpack the rasteriser: %w", err)
	}
	program, err := io.ReadAll(r) // also compares its checksum
	if err != nil {
		return nil, fmt.Errorf("unpack the rasteriser: %w", err)
	}
	return program, nil
}

// drawn is an SVG in pixels.
type drawn struct {
	pixels        image.Image
	width, height int // its own size in CSS pixels
}

// drawSVG draws a clean SVG on white, in its own size or so that its longer side is at most side pixels.
func drawSVG(ctx context.Context, svg []byte, side int) (drawn, error) {
	box, err := sandbox()
	if err != nil {
		return drawn{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, drawTime)
	defer cancel()
	mod, err := box.runtime.InstantiateModule(ctx, box.module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return drawn{}, fmt.Errorf("start the rasteriser: %w", err)
	}
	// The pixels are copied out first.
	defer mod.Close(context.WithoutCancel(ctx))
	p := rasterInstance{ctx: ctx, mod: mod}
	d, err := p.draw(svg, side)
	switch {
	case err == nil:
		return d, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return drawn{}, fmt.Errorf("drawing it takes longer than %s", drawTime)
	case ctx.Err() != nil:
		return drawn{}, ctx.Err()
	}
	return drawn{}, err
}

// rasterInstance is one instance of the rasteriser.
type rasterInstance struct {
	ctx context.Context
	mod api.Module
}

func (p rasterInstance) draw(svg []byte, side int) (drawn, error) {
	for _, f := range fonts {
		at, err := p.put(f)
		if err != nil {
			return drawn{}, err
		}
		if _, err := p.call("add_font", at, uint64(len(f))); err != nil {
			return drawn{}, err
		}
	}
	at, err := p.put(svg)
	if err != nil {
		return drawn{}, err
	}
	bad, err := p.call("parse", at, uint64(len(svg)))
	if err != nil {
		return drawn{}, err
	}
	if bad != 0 {
		return drawn{}, p.complaint()
	}
	w, h := p.size("width"), p.size("height")
	if w <= 0 || h <= 0 {
		return drawn{}, errors.New("it has no size")
	}
	scale := min(1, float64(side)/max(w, h))
	d := drawn{width: whole(w, maxOwnSide), height: whole(h, maxOwnSide)}
	out := image.NewRGBA(image.Rect(0, 0, whole(w*scale, side), whole(h*scale, side)))
	b := out.Bounds()
	at, err = p.call("render", uint64(b.Dx()), uint64(b.Dy()))
	if err != nil {
		return drawn{}, err
	}
	pixels, ok := p.mod.Memory().Read(uint32(at), uint32(len(out.Pix)))
	if at == 0 || !ok {
		return drawn{}, errors.New("it could not be drawn")
	}
	copy(out.Pix, pixels)
	d.pixels = out
	return d, nil
}

// put copies bytes into the rasteriser's memory.
func (p rasterInstance) put(b []byte) (at uint64, err error) {
	if at, err = p.call("room", uint64(len(b))); err != nil {
		return 0, err
	}
	if !p.mod.Memory().Write(uint32(at), b) {
		return 0, errors.New("drawing it takes too much memory")
	}
	return at, nil
}

// call calls a function of the rasteriser. If it fails, it has run out of memory or stack, or has a bug; that does not
// affect the rest of the program.
func (p rasterInstance) call(name string, args ...uint64) (uint64, error) {
	out, err := p.mod.ExportedFunction(name).Call(p.ctx, args...)
	if err != nil {
		return 0, errors.New("it could not be drawn: it takes too much memory, or is too deeply nested")
	}
	if len(out) == 0 {
		return 0, nil
	}
	return out[0], nil
}

func (p rasterInstance) size(name string) float64 {
	v, err := p.call(name)
	if err != nil {
		return 0
	}
	return float64(api.DecodeF32(v))
}

// complaint returns the rasteriser's error about the SVG.
func (p rasterInstance) complaint() error {
	at, err := p.call("error")
	n, err2 := p.call("error_len")
	text, ok := p.mod.Memory().Read(uint32(at), uint32(min(n, 200)))
	if err != nil || err2 != nil || !ok {
		return errors.New("it cannot be drawn as an SVG")
	}
	return fmt.Errorf("it cannot be drawn as an SVG: %q", text)
}

// whole rounds a length to whole pixels, at least one.
func whole(v float64, most int) int {
	if math.IsNaN(v) {
		return 1
	}
	return int(min(max(1, math.Round(v)), float64(most)))
}

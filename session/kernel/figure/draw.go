package figure

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nbduet/nbduet/session/kernel/userexpr"
)

// A NoPicture reports why a figure has no picture.
type NoPicture struct {
	// Why is a clause for the reader, "" if the reason is unknown.
	Why string
	// Lasting reports that the same kernel would not draw the same figure later, either.
	Lasting bool
}

func (e *NoPicture) Error() string { return "no picture of the figure: " + e.Why }

// The bounds of drawing. A figure and a picture travel in one message each, and Jupyter's servers take 10 MB.
const (
	mostFigure  = 5_000_000 // bytes in base64
	mostPicture = 3_000_000 // the same
	mostPixels  = 2000      // of each side
)

// grace is how much longer than the drawing the kernel's answer may take.
const grace = 5 * time.Second

// drawMIME is the MIME type of the kernel's answer.
const drawMIME = "application/vnd.nbduet.picture+json"

// Draw makes a kernel draw a plotly figure, given as JSON, and returns the PNG in base64. The kernel's process starts a
// second one, with the same modules, which ends with the picture or at the time limit; the kernel, its history and the
// notebook keep no trace. plotly draws with kaleido, whose version 1 starts a browser. The kernel is busy meanwhile, and
// Draw does not wait for a busy kernel. The error is a [NoPicture], or ctx's.
func Draw(ctx context.Context, k userexpr.Kernel, figure []byte, within time.Duration) (string, error) {
	packed, err := pack(figure)
	if err != nil {
		return "", err
	}
	if userexpr.Idle(ctx, k) != nil {
		return "", failed(ctx, "its kernel is busy; read it again when it is idle")
	}
	language, err := k.Language(ctx)
	switch {
	case err != nil:
		return "", failed(ctx, "its kernel does not answer")
	case !strings.EqualFold(language, "python"):
		return "", &NoPicture{"only Python kernels draw one", true}
	}
	question, err := json.Marshal(map[string]any{"figure": packed, "seconds": within.Seconds(), "most_bytes": mostPicture, "most_pixels": mostPixels})
	if err != nil {
		return "", fmt.Errorf("draw a figure: %w", err)
	}
	limited, stop := context.WithTimeout(ctx, within+grace)
	defer stop()
	replies, err := k.Evaluate(limited, "", map[string]string{"draw": userexpr.Python(source("draw"), map[string]string{
		"__name__": "nbduet", "MIME": drawMIME, "child": source("child"), "question": string(question),
	})})
	switch {
	case err != nil && limited.Err() != nil:
		return "", failed(ctx, "its kernel did not draw it in time")
	case err != nil:
		return "", failed(ctx, "its kernel does not draw it")
	}
	return pictureIn(replies["draw"], within)
}

// failed returns why the picture is missing, unless the call has ended.
func failed(ctx context.Context, why string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("draw a figure: %w", err)
	}
	return &NoPicture{Why: why}
}

// pack makes a figure small enough for a message.
func pack(figure []byte) (string, error) {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(figure)
	if err = errors.Join(err, w.Close()); err != nil {
		return "", fmt.Errorf("draw a figure: %w", err)
	}
	if base64.StdEncoding.EncodedLen(b.Len()) > mostFigure {
		return "", &NoPicture{"it has too much data to draw", true}
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// pictureIn extracts the picture from the kernel's answer.
func pictureIn(reply any, within time.Duration) (string, error) {
	text, _ := userexpr.Shown(reply, drawMIME) // a kernel that cannot evaluate it cannot run our programs either
	var a struct {
		PNG, Error, Message string
		Missing             []string
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.PNG == "" && a.Error == "" {
		return "", &NoPicture{} // it does not run our programs
	}
	switch a.Error {
	case "":
		return a.PNG, nil
	case "missing":
		return "", &NoPicture{Why: "pip install " + strings.Join(a.Missing, " ")}
	case "browser":
		return "", &NoPicture{Why: "kaleido finds no Chrome; plotly_get_chrome installs one"}
	case "slow":
		return "", &NoPicture{Why: fmt.Sprintf("it was not drawn within %.0f seconds", within.Seconds()), Lasting: true}
	case "large":
		return "", &NoPicture{"its picture is too large", true}
	}
	return "", &NoPicture{"it cannot be drawn: " + clean(a.Message, mostTitle), true}
}

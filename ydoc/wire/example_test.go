package wire_test

import (
	"errors"
	"fmt"

	"github.com/nbduet/nbduet/ydoc/wire"
)

// A peer begins with SYNC1, here with an empty state vector. A truncated frame is refused.
func ExampleParseFrame() {
	frame := wire.AppendSyncStep1(nil, wire.EncodeStateVector(nil))
	f, err := wire.ParseFrame(frame, wire.DefaultLimits)
	fmt.Println(f.Kind == wire.SyncStep1, err)

	_, err = wire.ParseFrame(frame[:2], wire.DefaultLimits)
	var refused *wire.FormatError
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason)
	}
	// Output:
	// true <nil>
	// truncated
}

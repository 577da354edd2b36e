package wire_test

import (
	"bytes"
	"errors"
	"maps"
	"testing"

	"github.com/shoenig/test"
	"github.com/shoenig/test/must"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func TestRecordedStateVectors(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		if v.StateVector == "" {
			continue
		}
		n++
		raw := unhex(t, v.StateVector)
		sv, err := wire.ParseStateVector(raw, wire.DefaultLimits)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
		if got := wire.EncodeStateVector(sv); !bytes.Equal(got, raw) {
			t.Errorf("%s: %x became %x", v.Name, raw, got)
		}
	}
	if n == 0 {
		t.Fatal("no state vectors are recorded")
	}
}

func TestStateVectorRoundTrip(t *testing.T) {
	for _, sv := range []map[uint64]uint64{
		{},
		{0: 0},
		{1: 35, wire.MaxInt: wire.MaxInt, 3412345678: 7},
	} {
		raw := wire.EncodeStateVector(sv)
		got, err := wire.ParseStateVector(raw, wire.DefaultLimits)
		must.NoError(t, err)
		test.True(t, maps.Equal(got, sv))
		if err := wire.CheckStateVector(raw, wire.DefaultLimits); err != nil {
			t.Error(err)
		}
	}
}

func TestStateVectorRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		sv   []byte
		want wire.Reason
	}{
		"nothing":                {nil, wire.ReasonTruncated},
		"a missing clock":        {b(1, 5), wire.ReasonTruncated},
		"bytes after the end":    {b(1, 5, 1, 0), wire.ReasonTrailing},
		"a huge count":           {b(1 << 50), wire.ReasonLimit},
		"more than it has":       {b(1000, 1, 1), wire.ReasonTruncated},
		"a client twice":         {b(2, 5, 1, 5, 2), wire.ReasonDuplicate},
		"a clock beyond 53 bits": {b(1, 5, uint64(1<<53)), wire.ReasonOverflow},
	} {
		var fault *wire.FormatError
		err := wire.CheckStateVector(c.sv, wire.DefaultLimits)
		must.True(t, errors.As(err, &fault), must.Sprint(name))
		test.Eq(t, c.want, fault.Reason, test.Sprint(name))
		sv, err := wire.ParseStateVector(c.sv, wire.DefaultLimits)
		must.Error(t, err, must.Sprint(name))
		test.Nil(t, sv, test.Sprint(name))
	}
}

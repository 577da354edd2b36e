package wire_test

import (
	"strings"
	"testing"

	"github.com/nbduet/nbduet/ydoc/wire"
)

func benchCheck(bm *testing.B, u []byte) {
	bm.Helper()
	if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
		bm.Fatal(err)
	}
	bm.SetBytes(int64(len(u)))
	bm.ReportAllocs()
	for bm.Loop() {
		if err := wire.CheckUpdate(u, wire.DefaultLimits); err != nil {
			bm.Fatal(err)
		}
	}
}

func BenchmarkCheckText(bm *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("print('hello, world')\n", 200_000),
		"mixed": strings.Repeat("größe = 'naïve' # 日本 😀\n", 150_000),
	} {
		bm.Run(name, func(bm *testing.B) { benchCheck(bm, item(1, iString, root, s)) })
	}
}

func BenchmarkCheckStructs(bm *testing.B) {
	u := b(1, 200_000, 5, 10)
	for i := range 100_000 {
		u = append(u, b(iString|withLeft, 7, i, "ab", iAny|withKey, root, "k", 1, byte(125), byte(7))...)
	}
	benchCheck(bm, append(u, 0))
}

func BenchmarkCheckNotebook(bm *testing.B) {
	benchCheck(bm, realUpdates(bm)[len(realUpdates(bm))-1])
}

package images

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tetratelabs/wazero"
)

// wazeroVersion is the version in go.mod, which a test's program cannot determine. It is part of the compilations' path,
// because another version must not run them.
const wazeroVersion = "v1.12.0"

// compiled is a program as machine code.
type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// load compiles a program, or loads an earlier process's compilation: compiling takes a second or two for the rasteriser,
// and tens of megabytes; loading takes hundredths of a second.
func load(program []byte) (compiled, error) {
	if earlier, err := compilations(); err == nil {
		// A broken compilation or a full disk only makes this slower.
		if c, err := compile(program, wazero.NewRuntimeConfig().WithCompilationCache(earlier)); err == nil {
			return c, nil
		}
	}
	return compile(program, wazero.NewRuntimeConfig())
}

func compile(program []byte, cfg wazero.RuntimeConfig) (compiled, error) {
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, cfg.WithMemoryLimitPages(drawPages).WithCloseOnContextDone(true))
	m, err := rt.CompileModule(ctx, program)
	if err != nil {
		_ = rt.Close(ctx) // it has nothing to lose
		return compiled{}, fmt.Errorf("compile the rasteriser: %w", err)
	}
	return compiled{rt, m}, nil
}

// compilations returns the compilations of this user's earlier processes, from the user's cache folder. Other users must
// not be able to write there, since the code is run.
func compilations() (wazero.CompilationCache, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "nbduet")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 { // the parent folder keeps others out there
		return nil, fmt.Errorf("%s can be written by others (%s)", dir, info.Mode())
	}
	return wazero.NewCompilationCacheWithDir(filepath.Join(dir, "wazero-"+wazeroVersion))
}

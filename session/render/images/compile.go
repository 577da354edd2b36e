package images

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tetratelabs/wazero"
)

// wazeroVersion is that of go.mod. It is part of the path of what is compiled, since a test's program does not know it
// in any other way, and another version must not run that.
const wazeroVersion = "v1.12.0"

// compiled is a program in machine code.
type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// load compiles a program, or loads what an earlier process has compiled: that takes a second or two for the
// rasteriser, and some tens of megabytes, this some hundredths of a second.
func load(program []byte) (compiled, error) {
	if earlier, err := compilations(); err == nil {
		// Without them it takes longer, and that is all: one may be broken, or the disk full.
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

// compilations are what earlier processes of this user have compiled, in the user's folder for what can be made again.
// Nobody else may write there, since it is run.
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
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 { // there the folder above bars others, and modes say nothing
		return nil, fmt.Errorf("%s can be written by others (%s)", dir, info.Mode())
	}
	return wazero.NewCompilationCacheWithDir(filepath.Join(dir, "wazero-"+wazeroVersion))
}

package kit

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/shoenig/test/must"
)

// Processes returns the command lines of the running processes that have a home folder, by process id.
func Processes(t testing.TB, home string) map[int]string {
	t.Helper()
	all := map[int]string{}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	must.NoError(t, err)
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+home+"\x00")) {
			continue // it has ended, or has another home
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		pid, wrong := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		must.NoError(t, wrong)
		if err == nil && len(line) > 0 { // a zombie has none
			all[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte(" ")))
		}
	}
	return all
}

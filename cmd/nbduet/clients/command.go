package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// starter returns the command that starts nbduet, now and after upgrades, and the problem with that command.
func starter(m Machine, given string) (command []string, problem string) {
	if given = strings.TrimSpace(given); given != "" {
		if command = []string{given}; !exists(given) {
			command = strings.Fields(given)
		}
		return command, wrong(m, command[0])
	}
	switch {
	case m.Published && fromUV(m, m.Program):
		command = []string{"uvx", name}
	case m.Published && inFolder(m.Program, "_npx"):
		command = []string{"npx", "-y", name}
	default:
		command = []string{m.Program}
		if found, same := inPath(m); same {
			command[0] = found
		}
	}
	return command, wrong(m, command[0])
}

// inPath returns the nbduet in PATH, if it is this program. That path stays valid when the next version replaces the link's
// target.
func inPath(m Machine) (string, bool) {
	found, err := m.Look(name)
	if err != nil {
		return "", false
	}
	if found, err = filepath.Abs(found); err != nil {
		return "", false
	}
	a, err := os.Stat(found)
	if err != nil {
		return "", false
	}
	b, err := os.Stat(m.Program)
	return found, err == nil && os.SameFile(a, b)
}

// fromUV reports whether a program is in uv's cache, where uvx keeps it until the cache is cleaned.
func fromUV(m Machine, program string) bool {
	caches := []string{m.Env("UV_CACHE_DIR"), filepath.Join(m.dir("XDG_CACHE_HOME", ".cache"), "uv")}
	switch m.GOOS {
	case "windows":
		caches = append(caches, filepath.Join(m.local(), "uv", "cache"))
	case "darwin":
		caches = append(caches, filepath.Join(m.Home, "Library", "Caches", "uv"))
	}
	return slices.ContainsFunc(caches, func(dir string) bool { return dir != "" && within(dir, program) })
}

// within reports whether a file is below a folder, also through symbolic links.
func within(dir, file string) bool {
	for _, d := range []string{dir, resolved(dir)} {
		for _, f := range []string{file, resolved(file)} {
			if rel, err := filepath.Rel(d, f); err == nil && filepath.IsLocal(rel) && rel != "." {
				return true
			}
		}
	}
	return false
}

func resolved(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

func inFolder(file, folder string) bool {
	return strings.Contains("/"+filepath.ToSlash(filepath.Dir(file))+"/", "/"+folder+"/")
}

var goBuild = regexp.MustCompile(`[/\\]go-build\d*[/\\]`)

// fleeting reports whether a program is in a folder that is cleaned automatically.
func fleeting(m Machine, program string) bool {
	dirs := []string{m.Env("TMPDIR"), m.Env("TEMP"), m.Env("TMP")}
	if m.GOOS != "windows" {
		dirs = append(dirs, "/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/private/var/folders")
	}
	return goBuild.MatchString(program) || slices.ContainsFunc(dirs, func(dir string) bool { return filepath.IsAbs(dir) && within(dir, program) })
}

// wrong describes the problem with the program that an entry starts.
func wrong(m Machine, program string) string {
	switch {
	case program == "":
		return "its entry has no command"
	case filepath.IsAbs(program) && !exists(program):
		return fmt.Sprintf("its command %s does not exist", program)
	case filepath.IsAbs(program) && fleeting(m, program):
		return fmt.Sprintf("its command %s is in a folder for temporary files", program)
	case !filepath.IsAbs(program):
		if _, err := m.Look(program); err != nil {
			return fmt.Sprintf("its command %s is not in PATH", program)
		}
	}
	return ""
}

package srcbook

import "strings"

// A Language describes the files of a programming language.
type Language struct {
	Name      string // in lower case, as kernels and fenced blocks name it
	Extension string // of its files, with the dot
	MIME      string
}

// languages has the languages of known Jupyter kernels. MIME types are those registered with IANA if there are any (for
// JavaScript the older name that clients of notebooks expect), else the customary ones.
var languages = []Language{
	{"python", ".py", "text/x-python"},
	{"javascript", ".js", "application/javascript"},
	{"typescript", ".ts", "application/typescript"},
	{"json", ".json", "application/json"},
	{"r", ".r", "text/x-r"},
	{"julia", ".jl", "text/x-julia"},
	{"bash", ".sh", "application/x-sh"},
	{"sql", ".sql", "application/sql"},
	{"c", ".c", "text/x-c"},
	{"c++", ".cpp", "text/x-c++src"},
	{"java", ".java", "text/x-java"},
	{"kotlin", ".kt", "text/x-kotlin"},
	{"scala", ".scala", "text/x-scala"},
	{"go", ".go", "text/x-go"},
	{"rust", ".rs", "text/x-rust"},
	{"ruby", ".rb", "text/x-ruby"},
	{"haskell", ".hs", "text/x-haskell"},
	{"octave", ".m", "text/x-octave"},
	{"sage", ".sage", "text/x-python"},
	{"c#", ".cs", "text/x-csharp"},
	{"f#", ".fs", "text/x-fsharp"},
}

// sameLanguage maps other names of languages.
var sameLanguage = map[string]string{
	"ipython": "python", "python3": "python", "py": "python", "js": "javascript", "node": "javascript", "nodejs": "javascript",
	"ts": "typescript", "sh": "bash", "shell": "bash", "cpp": "c++", "c++11": "c++", "c++14": "c++", "c++17": "c++", "c++20": "c++",
	"matlab": "octave", "sagemath": "sage", "csharp": "c#", "fsharp": "f#",
}

// LanguageOf finds a language by its name, in upper or lower case. An unknown language has plain text files.
func LanguageOf(name string) Language {
	name = strings.ToLower(strings.TrimSpace(name))
	if known, ok := sameLanguage[name]; ok {
		name = known
	}
	for _, l := range languages {
		if l.Name == name {
			return l
		}
	}
	return Language{Name: name, Extension: ".txt", MIME: "text/plain"}
}

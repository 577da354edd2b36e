package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/nbduet/nbduet/cmd/nbduet/hub"
	"github.com/nbduet/nbduet/cmd/nbduet/options"
	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/textfmt"
	"github.com/nbduet/nbduet/tools"
)

// flags are the command line and the environment. Package options builds the flags from the tags.
type flags struct {
	Help bool `name:"help" short:"h" help:"Print this help and exit."`

	Servers serverFlags

	SessionTimeout string `name:"session-timeout" env:"NBDUET_SESSION_TIMEOUT" default:"5" placeholder:"MINUTES" help:"Minutes without use after which a notebook is closed; fractions are allowed."`
	MaxRooms       int    `name:"max-rooms" env:"NBDUET_MAX_ROOMS" default:"100" placeholder:"N" help:"Notebooks open at once; beyond that the longest idle one is closed."`
	MaxSessions    int    `name:"max-sessions" env:"NBDUET_MAX_SESSIONS" default:"10" placeholder:"N" help:"Analysis sessions that a client may have at once; 0 for no limit."`
	AgentName      string `name:"agent-name" env:"NBDUET_AGENT_NAME" placeholder:"NAME" help:"Name that people see in JupyterLab, for all clients. Without it each has its own, such as Claude or Cursor."`
	AnswerWithin   string `name:"answer-within" env:"NBDUET_ANSWER_WITHIN" default:"50" placeholder:"SECONDS" help:"Seconds after which a call that runs code answers with the outputs so far, if it has no timeout and its client gets no progress notifications; the code keeps running. An edit waits at most that long for a person who is typing. Hosts give up after a minute. 0 for no limit."`
	ServerTimeout  string `name:"server-timeout" env:"NBDUET_SERVER_TIMEOUT" default:"10" placeholder:"SECONDS" help:"Seconds that a call waits for a Jupyter server that does not answer; then it reports which changes were made."`
	InputTimeout   string `name:"input-timeout" env:"NBDUET_INPUT_TIMEOUT" default:"60" placeholder:"SECONDS" help:"Seconds that a person has to answer when running code asks for input; then the code is interrupted."`
	AgentPasswords bool   `name:"allow-agent-passwords" env:"NBDUET_ALLOW_AGENT_PASSWORDS" help:"Let the model answer passwords that running code asks for (getpass), with answer_input. Without it, only a person can, at a client that offers elicitation."`

	MaxImages     int `name:"max-images" env:"NBDUET_MAX_IMAGES" default:"4" placeholder:"N" help:"Images that an answer shows; it gives the addresses of the others."`
	MaxImageBytes int `name:"max-image-bytes" env:"NBDUET_MAX_IMAGE_BYTES" default:"1000000" placeholder:"BYTES" help:"Largest size of an image that is shown; a larger image is scaled down. A whole answer stays under 1 MB."`
	ImageCache    int `name:"image-cache" env:"NBDUET_IMAGE_CACHE" default:"64" placeholder:"MB" help:"Megabytes of images kept in memory; others are read again from their cells."`

	Toolsets string `name:"toolsets" env:"NBDUET_TOOLSETS" default:"default" placeholder:"A,B" help:"Toolsets to offer: ${toolsets}, default or all. Without it, the tools of core are listed and all can be called by name; with it, other tools are refused."`
	Outputs  string `name:"output-schemas" env:"NBDUET_OUTPUT_SCHEMAS" default:"none" placeholder:"WHICH" help:"For programs: list tools with the schema of their result, and answer with structured content unless there is a picture: full (all), lean (all but those of core) or none. Many hosts show a model only the structured content, or pay for both. Clients of a protocol before 2025-06-18 get neither."`
	Answers  string `name:"answers" env:"NBDUET_ANSWERS" placeholder:"HOW" help:"How the tools of core answer: text (plain words, fewest tokens) or json (the objects of their contracts, for programs). Default: text; json if --toolsets names a set other than core and runs, or --output-schemas is full."`
	ReadOnly bool   `name:"read-only" env:"NBDUET_READ_ONLY" help:"Offer only tools that change nothing. They run no code: no kernel is started, and values that need code to be shown are left out."`

	State   string `name:"state" env:"NBDUET_STATE" placeholder:"FILE" help:"Database of each session's activity (the context:// resources) and of running cells, whose runs the next nbduet continues; :memory: for none; for hub, a folder with one for each user. Default: nbduet/activity.db in the state directory, ~/.local/state."`
	Journal string `name:"journal" env:"NBDUET_JOURNAL" default:"on" placeholder:"on|off" help:"Keep the agent's edits of notebooks for 30 days, beside the database of --state, so that they can be undone after the notebook was closed: on or off."`
	Project string `name:"project" env:"NBDUET_PROJECT" default:"project.yaml" placeholder:"PATH" help:"The project file, relative to the Jupyter server's root folder."`

	HTTP httpFlags

	LogLevel string `name:"log-level" env:"LOG_LEVEL" default:"info" placeholder:"LEVEL" help:"How much to log to standard error: debug, info, warn or error. Each call of a tool is logged at info."`
	LogCode  bool   `name:"log-code" env:"NBDUET_LOG_CODE" help:"Also log the contents of calls and answers: code, outputs, file contents and error texts. Without it, the log has none of them."`
	Version  bool   `name:"version" help:"Print the version and exit."`
}

// The commands that use these flags.
const (
	commandStart  = "start" // may be omitted
	commandHealth = "health"
	commandHub    = "hub"
)

// settings are the checked flags.
type settings struct {
	flags          // as given
	servers        serverSettings
	sessionTimeout time.Duration
	agentName      string
	inputTimeout   time.Duration
	serverTimeout  time.Duration
	answerWithin   time.Duration
	imageCache     int      // bytes
	toolsets       []string // nil if none were given
	outputs        tools.OutputSchemas
	answers        tools.Answers
	logLevel       slog.Level
	state          string // file, :memory:, or "" for the default file
	journal        bool
	project        jupyter.Path
	http           httpSettings
	hub            *hub.Settings // of a JupyterHub service; nil if this program is not a service
	health         string        // the address to check; if set, the program does only that
}

// newOptions returns the flags that fill f.
func newOptions(f *flags) *pflag.FlagSet {
	set := options.New(f)
	toolsets := set.Lookup("toolsets")
	toolsets.Usage = strings.ReplaceAll(toolsets.Usage, "${toolsets}", strings.Join(tools.ToolsetNames(), ", "))
	return set
}

const usage = `Usage: nbduet [command] [flags]

MCP server that works in Jupyter notebooks together with people: edits, outputs
and the agent itself appear live in their JupyterLab tabs. It speaks MCP on
standard input and output, or over HTTP, and logs to standard error.

Flags of start, hub and health:
`

// commandsUsage follows the flags, because the end of the help stays visible.
const commandsUsage = `
Commands (each has its own --help):
  start                            Serve MCP. It can be left out.
  hub                              Serve the users of a JupyterHub over HTTP, as
                                   a service of it: each works on the server of
                                   their own.
  health                           Ask the nbduet that serves HTTP at --host
                                   and --port, or at --url, whether it works:
                                   the exit status is 0 if it does, else 1.
`

// parse reads the command line and the environment. done means that the program has printed its answer (--help, --version)
// and must exit.
func parse(args []string, stdout io.Writer) (s settings, done bool, err error) {
	var f flags
	set := newOptions(&f)
	err = options.Parse(set, args, os.Getenv)
	switch {
	case f.Help:
		_, err := io.WriteString(stdout, usage+options.Help(set)+commandsUsage+list(commands()))
		return settings{}, true, err
	case f.Version:
		_, err := fmt.Fprintln(stdout, "nbduet", thisBuild())
		return settings{}, true, err
	}
	command := commandStart
	if err == nil && set.NArg() > 0 {
		command = set.Arg(0)
		if known := []string{commandStart, commandHub, commandHealth}; !slices.Contains(known, command) {
			err = unexpected(command, known)
		} else if set.NArg() > 1 {
			err = fmt.Errorf("unexpected argument %s", set.Arg(1))
		}
	}
	if err != nil {
		return settings{}, false, options.UsageError{Err: fmt.Errorf("%w; nbduet start, or nbduet alone, serves MCP, nbduet health checks it, and nbduet --help lists the flags", err)}
	}
	switch command {
	case commandHealth:
		s.health, err = f.HTTP.healthURL()
	case commandHub:
		s, err = f.checkHub()
	default:
		s, err = f.check()
	}
	if err != nil {
		return settings{}, false, options.UsageError{Err: err}
	}
	return s, false, nil
}

// unexpected returns the error for an argument that is not a command, or for a command that is not the first argument.
func unexpected(argument string, known []string) error {
	for _, c := range commands() {
		if c.name == argument {
			return fmt.Errorf("unexpected argument %s: it must come first", argument)
		}
		known = append(known, c.name)
	}
	return fmt.Errorf("unexpected argument %s%s", argument, options.Meant(argument, known))
}

// check converts flags to settings. Every error names the flag and the value.
func (f flags) check() (settings, error) {
	s := settings{flags: f, imageCache: f.ImageCache << 20}
	err := cmp.Or(
		between("max-rooms", f.MaxRooms, 1, 10_000, ""),
		between("max-sessions", f.MaxSessions, 0, 10_000, ""),
		between("max-images", f.MaxImages, 0, 20, ""),
		between("max-image-bytes", f.MaxImageBytes, 10_000, 5_000_000, ""),
		between("image-cache", f.ImageCache, 1, 4096, " megabytes"),
		readInto("session-timeout", &s.sessionTimeout, f.SessionTimeout, minutes),
		readInto("input-timeout", &s.inputTimeout, f.InputTimeout, seconds),
		readInto("answer-within", &s.answerWithin, f.AnswerWithin, secondsOrNone),
		readInto("server-timeout", &s.serverTimeout, f.ServerTimeout, seconds),
		readInto("journal", &s.journal, f.Journal, onOff),
		readInto("toolsets", &s.toolsets, f.Toolsets, tools.ParseToolsets),
	)
	if err != nil {
		return settings{}, err
	}
	s.state = strings.TrimSpace(f.State)
	if s.project, err = jupyter.ParsePath(f.Project); err != nil || s.project.IsRoot() {
		return settings{}, fmt.Errorf("--project: %q is not the path of a file on the Jupyter server", f.Project)
	}
	if s.agentName = strings.TrimSpace(f.AgentName); len(s.agentName) > 200 {
		return settings{}, fmt.Errorf("--agent-name: %q is longer than 200 bytes", f.AgentName)
	}
	if s.outputs = tools.OutputSchemas(strings.ToLower(strings.TrimSpace(f.Outputs))); !slices.Contains(tools.OutputSchemasWords(), string(s.outputs)) {
		return settings{}, fmt.Errorf("--output-schemas: %q is not one of %s", f.Outputs, strings.Join(tools.OutputSchemasWords(), ", "))
	}
	if s.answers = tools.Answers(strings.ToLower(strings.TrimSpace(f.Answers))); s.answers != "" && !slices.Contains(tools.AnswersWords(), string(s.answers)) {
		return settings{}, fmt.Errorf("--answers: %q is not one of %s", f.Answers, strings.Join(tools.AnswersWords(), ", "))
	}
	if err := s.logLevel.UnmarshalText([]byte(f.LogLevel)); err != nil {
		return settings{}, fmt.Errorf("--log-level: %q is not one of debug, info, warn, error", f.LogLevel)
	}
	if s.http, err = f.HTTP.check(); err != nil {
		return settings{}, err
	}
	if s.servers, err = f.Servers.check(); err != nil {
		return settings{}, err
	}
	return s, nil
}

// between refuses a flag's number that is not in a range; unit follows the range in the error.
func between(flag string, n, least, most int, unit string) error {
	if n < least || n > most {
		return fmt.Errorf("--%s: %d is not between %s and %s%s", flag, n, textfmt.Thousands(least), textfmt.Thousands(most), unit)
	}
	return nil
}

// readInto reads the text of a flag into to.
func readInto[T any](flag string, to *T, text string, from func(string) (T, error)) (err error) {
	if *to, err = from(text); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return nil
}

// fileInto reads the file that a flag names into to. Without a name, it leaves to unchanged.
func fileInto[T any](flag string, to *T, name string, from func(string) (T, error)) error {
	if name == "" {
		return nil
	}
	return readInto(flag, to, name, from)
}

// defaultPort is the default of --port.
const defaultPort = 3001

// checkHub is check for a JupyterHub service, which always serves HTTP.
func (f flags) checkHub() (settings, error) {
	if f.HTTP.Transport == transportStdio {
		f.HTTP.Transport = transportStream
	}
	switch {
	case f.HTTP.Metrics:
		return settings{}, errors.New("--metrics: not available with a hub: leave it out")
	case f.HTTP.OIDCIssuer != "":
		return settings{}, errors.New("--oidc-issuer: users of a hub log in with the hub: leave it out")
	}
	s, err := f.check()
	if err != nil {
		return settings{}, err
	}
	if s.hub, err = hub.Read(os.Getenv, f.Servers.JupyterURL, f.HTTP.PublicURL); err != nil {
		return settings{}, err
	}
	s.http.hosts = append(s.http.hosts, s.hub.Hosts...)
	if s.hub.Address != "" && f.HTTP.Port == defaultPort {
		s.http.address = s.hub.Address
	}
	return s, nil
}

// minutes reads a positive number of minutes, at most a year.
func minutes(s string) (time.Duration, error) {
	return amount(s, time.Minute, 365*24*60, "minutes", "5 or 0.5")
}

// onOff reads on or off.
func onOff(s string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "on":
		return true, nil
	case "off":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither on nor off", s)
}

// seconds reads a positive number of seconds, at most a day.
func seconds(s string) (time.Duration, error) {
	return amount(s, time.Second, 24*60*60, "seconds", "60")
}

// secondsOrNone is seconds, where 0 means no limit.
func secondsOrNone(s string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil && n == 0 {
		return 0, nil
	}
	return seconds(s)
}

// amount reads a positive number of units. Errors contain the units' name and the example.
func amount(s string, unit time.Duration, most int, units, example string) (time.Duration, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is not a number of %s, such as %s", s, units, example)
	}
	if math.IsNaN(n) || n <= 0 || n > float64(most) {
		return 0, fmt.Errorf("%s is not a number of %s above 0 and at most %d", s, units, most)
	}
	return max(time.Duration(n*float64(unit)), 1), nil
}

// readToken reads a token from a file, without the white space around it.
func readToken(name string) (string, error) {
	text, err := readSecret(name, "token")
	return strings.TrimSpace(text), err
}

// readPassword reads a password from a file, without the end of its line.
func readPassword(name string) (string, error) {
	text, err := readSecret(name, "password")
	return strings.TrimRight(text, "\r\n"), err
}

// readSecret reads a small file that is not blank; what names its content in errors.
func readSecret(name, what string) (string, error) {
	const most = 1 << 16
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > most {
		return "", fmt.Errorf("%s is longer than %d bytes: it cannot be a %s", name, most, what)
	}
	if strings.TrimSpace(string(b)) == "" {
		return "", errors.New(name + " has no " + what)
	}
	return string(b), nil
}

package kernels

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The errors that the methods of a table return.
var (
	ErrNotFound = errors.New("kernels: no such kernel")
	ErrNoSpec   = errors.New("kernels: no such kernelspec")
	ErrClosed   = errors.New("kernels: the table is closed")
)

// Config configures a table's kernels.
type Config struct {
	// Root is the default working folder of kernels.
	Root string
	// Specs are the kernelspecs; none means [Python3] and [Bash]. The first is the default. Kernels whose language is
	// not Bash run cells as Python.
	Specs []Spec
	// StartDelay is the time from the start of a process to its first message; 0 means 300 ms, negative none.
	StartDelay time.Duration
	// NoticeDelay is the time from the death of a process to its restart; 0 means 3 s, negative none.
	NoticeDelay time.Duration
	// DataRate and MessageRate bound the iopub traffic to one client: bytes of streams and messages per second. Zeros
	// mean Jupyter's own limits, 1,000,000 and 1,000.
	DataRate, MessageRate float64
	// JSONOnly disables the binary subprotocol.
	JSONOnly bool
	// NoRestarts abandons a kernel whose process has died.
	NoRestarts bool
	// CullAfter is how long a kernel may be idle; 0 means forever.
	CullAfter time.Duration
	// NotUnderstood is called with a cell that package cells does not support, and the unsupported word. It may be nil.
	// It is called from any goroutine.
	NotUnderstood func(cell, word string)
}

// firstPID is above the system's process ids, so that a test that kills by id hits no real process.
const firstPID = 1 << 23

// serverPID is the id of the server's own process, in the ids of its messages.
const serverPID = firstPID

// Model is a kernel in the form of GET /api/kernels/{id}.
type Model struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	LastActivity   string `json:"last_activity"`
	ExecutionState string `json:"execution_state"`
	Connections    int    `json:"connections"`
}

// Table holds the kernels of a server.
type Table struct {
	config Config
	specs  Specs
	ctx    context.Context // ends with the table
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	kernels map[string]*kernel
	ended   map[string]*kernel // shut down, but their sockets are still open
	order   []string
	pids    int
	closed  bool
}

// New makes an empty table.
func New(config Config) *Table {
	if len(config.Specs) == 0 {
		config.Specs = []Spec{Python3(), Bash()}
	}
	if config.DataRate == 0 {
		config.DataRate = dataLimit
	}
	if config.MessageRate == 0 {
		config.MessageRate = messageLimit
	}
	if config.NotUnderstood == nil {
		config.NotUnderstood = func(string, string) {}
	}
	orDefault := func(d *time.Duration, def time.Duration) {
		switch {
		case *d == 0:
			*d = def
		case *d < 0:
			*d = 0
		}
	}
	orDefault(&config.StartDelay, 300*time.Millisecond)
	orDefault(&config.NoticeDelay, 3*time.Second)
	t := &Table{config: config, kernels: map[string]*kernel{}, ended: map[string]*kernel{}, pids: firstPID}
	t.specs = Specs{Default: config.Specs[0].Name, Specs: map[string]Spec{}}
	for _, s := range config.Specs {
		t.specs.Specs[s.Name] = s
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	if config.CullAfter > 0 {
		t.begin(t.cull)
	}
	return t
}

// Specs returns the kernelspecs.
func (t *Table) Specs() Specs { return t.specs }

// Start starts a kernel of a kernelspec, "" for the default, in a working folder, "" for the root. It does not wait
// until the kernel is ready.
func (t *Table) Start(ctx context.Context, name, cwd string) (Model, error) {
	if name == "" {
		name = t.specs.Default
	}
	if _, ok := t.specs.Specs[name]; !ok {
		return Model{}, ErrNoSpec
	}
	if cwd == "" {
		cwd = t.config.Root
	}
	if err := ctx.Err(); err != nil {
		return Model{}, err
	}
	k := newKernel(t, newUUID(), name, cwd)
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return Model{}, ErrClosed
	}
	t.kernels[k.id] = k
	t.order = append(t.order, k.id)
	t.mu.Unlock()
	k.launch(false)
	return k.model(), nil
}

// begin runs fn in a goroutine of the table, unless it is closed.
func (t *Table) begin(fn func()) {
	t.mu.Lock()
	closed := t.closed
	if !closed {
		t.wg.Add(1)
	}
	t.mu.Unlock()
	if closed {
		return
	}
	go func() {
		defer t.wg.Done()
		fn()
	}()
}

func (t *Table) nextPID() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pids++
	return t.pids
}

func (t *Table) find(id string) (*kernel, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if k := t.kernels[id]; k != nil {
		return k, nil
	}
	return nil, ErrNotFound
}

// List lists the kernels, oldest first.
func (t *Table) List() []Model {
	t.mu.Lock()
	var list []*kernel
	for _, id := range t.order {
		list = append(list, t.kernels[id])
	}
	t.mu.Unlock()
	out := []Model{}
	for _, k := range list {
		out = append(out, k.model())
	}
	return out
}

// Get returns a kernel by its id, or ErrNotFound.
func (t *Table) Get(id string) (Model, error) {
	k, err := t.find(id)
	if err != nil {
		return Model{}, err
	}
	return k.model(), nil
}

// Interrupt raises KeyboardInterrupt in a kernel's running code.
func (t *Table) Interrupt(id string) error {
	k, err := t.find(id)
	if err != nil {
		return err
	}
	k.interrupt()
	return nil
}

// Restart replaces a kernel's process and returns when the new one answers.
func (t *Table) Restart(ctx context.Context, id string) (Model, error) {
	k, err := t.find(id)
	if err != nil {
		return Model{}, err
	}
	if err := k.stop(ctx, true); err != nil {
		return Model{}, err
	}
	k.launch(true)
	k.ready(ctx)
	return k.model(), nil
}

// Shutdown ends a kernel. Its sockets stay open and silent.
func (t *Table) Shutdown(ctx context.Context, id string) error {
	k, err := t.find(id)
	if err != nil {
		return err
	}
	err = k.stop(ctx, false)
	t.remove(k)
	return err
}

func (t *Table) remove(k *kernel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kernels[k.id] == k {
		delete(t.kernels, k.id)
		t.ended[k.id] = k
		t.order = slices.DeleteFunc(t.order, func(id string) bool { return id == k.id })
	}
}

// Die ends a kernel's process like an external SIGKILL: the kernel is restarted when its death is noticed.
func (t *Table) Die(id string) error {
	k, err := t.find(id)
	if err != nil {
		return err
	}
	k.die()
	return nil
}

// Kill is [Table.Die] for the kernel with that process id; it reports whether there is one.
func (t *Table) Kill(pid int) bool {
	t.mu.Lock()
	list := slices.Collect(maps.Values(t.kernels))
	t.mu.Unlock()
	for _, k := range list {
		k.mu.Lock()
		found := k.process != nil && k.process.pid == pid
		k.mu.Unlock()
		if found {
			k.die()
			return true
		}
	}
	return false
}

// Reset ends all kernels and cuts all connections, like a killed server.
func (t *Table) Reset() {
	t.mu.Lock()
	list := slices.Concat(slices.Collect(maps.Values(t.kernels)), slices.Collect(maps.Values(t.ended)))
	clear(t.kernels)
	clear(t.ended)
	t.order = nil
	t.mu.Unlock()
	for _, k := range list {
		k.mu.Lock()
		p := k.process
		k.ended, k.process = true, nil
		k.mu.Unlock()
		if p != nil {
			p.kill()
		}
		k.dropSockets()
	}
}

// DropSockets cuts the connections to a kernel, without a close frame.
func (t *Table) DropSockets(id string) error {
	k, err := t.find(id)
	if err != nil {
		return err
	}
	k.dropSockets()
	return nil
}

// ServeChannels serves GET /api/kernels/{id}/channels until the connection ends. The caller has authorised the
// request.
func (t *Table) ServeChannels(w http.ResponseWriter, r *http.Request, id string) {
	k, err := t.find(id)
	if err != nil {
		http.Error(w, "Kernel does not exist: "+id, http.StatusNotFound)
		return
	}
	t.mu.Lock()
	closed := t.closed
	if !closed {
		t.wg.Add(1)
	}
	t.mu.Unlock()
	if closed {
		http.Error(w, "the server stops", http.StatusServiceUnavailable)
		return
	}
	defer t.wg.Done()
	k.serve(w, r)
}

// Close ends all kernels and cuts all connections, like a killed server, and waits for all goroutines.
func (t *Table) Close() {
	t.mu.Lock()
	t.closed = true
	list := slices.Concat(slices.Collect(maps.Values(t.kernels)), slices.Collect(maps.Values(t.ended)))
	t.mu.Unlock()
	t.cancel()
	for _, k := range list {
		k.dropSockets()
	}
	t.wg.Wait()
}

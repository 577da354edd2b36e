package session

import "context"

// Go runs f in a goroutine of the manager, for work on documents that no call waits for. Its context ends when Close
// has left all rooms, which ends their runs; Close waits for it. Go reports false, and does not run f, if the manager
// is already closed.
func (m *Manager) Go(f func(context.Context)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.wg.Go(func() { f(m.ctx) })
	return true
}

package awareness

// Local returns our own state as last announced; its Raw is nil if absent.
func (t *Table) Local() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.own[t.local].State
}

// Package rooms holds the tests of open notebooks under faults: connections
// that break, stall, crawl and fall to pieces, servers that are killed, rooms
// that are cleaned up, and several programs that edit one notebook at random.
//
// All of it is against real Jupyter servers, through a proxy of this process
// where the network is what fails. After each fault the same must hold: what
// was answered as done is in the room and in the file, once; everybody has the
// same notebook; the file is valid nbformat with unique cell ids.
//
// NBDUET_ROOM_SEEDS says how many random notebooks are tried, and
// NBDUET_ROOM_SEED names the first of them; a failure prints its seed.
// The table of outages against operations is in outages_kinds_test.go and
// outages_operations_test.go.
package rooms

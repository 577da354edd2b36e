// Package chatwatch finds the messages in chats that address an agent by name. Such a message becomes a mention of package
// mentions; one that says "hands off" or "go on" is obeyed at once.
//
// A message is addressed to us if the sender's tab lists one of our usernames among its mentions, or if its text has one of
// our names after an @, unless that is the name of a person in the chat. "Duet" addresses all of us; each client also joins
// chats under its own name, with a unique username. Messages of agents are agents' mentions. The chat shows the sender that
// a mention was taken, then the activity of the client that took it; if no client takes it, the chat gets a message.
//
// # Concurrency
//
// [Chats] is safe for concurrent use. A goroutine of each chat reads its messages; each chat with mentions that no client
// has taken has one more, as does each that clients have joined or have mentions in. [session.Manager.Close] ends them.
package chatwatch

// Package chatwatch hears where people call an agent by name in chats. A message that calls one becomes a mention of package
// mentions; one that says hands off, or go on, is obeyed at once.
//
// A message calls if the sender's tab has one of our usernames among those it mentions, or if its text has one of our names
// behind an @, unless that is the name of a person in the chat. "Duet" is all of us; each client is in chats by its own name,
// too, under a username that tells it from the others. Messages of agents are agents' mentions. Who has called is shown in the
// chat that they were heard, and then what the client does that has the mention, and told if nobody takes it.
//
// # Concurrency
//
// [Chats] is safe for use by any goroutine. Messages are heard by a goroutine of their chat; each chat with mentions that
// nobody has taken has one more, and so has each in which clients are or have mentions. [session.Manager.Close] ends them.
package chatwatch

# The variables of the global environment. No code of theirs is run.
entry <- function(name, env, is_lazy, is_active) {
  out <- list(name = cut_text(name, 200), type = if (is_lazy) "promise" else if (is_active) "active binding")
  if (is_lazy || is_active) return(c(out, size = "not evaluated"))
  v <- held(name, env)
  out$type <- type_of(v)
  value <- scalar(v, 100)
  if (!identical(value, nothing)) out$value <- value
  if (identical(value, nothing) || is.character(v) && !is.na(v) && nchar(v, "bytes") > 100) out$size <- size_of(v)
  out
}

inspection <- function() {
  env <- globalenv()
  names <- sort(ls(env, sorted = FALSE), method = "radix")
  lazies <- lazy(names, env)
  actives <- active(names, env)
  if (!question$all) {
    plain <- function(i) lazies[i] || actives[i] || !attempt(is.function(held(names[i], env)), FALSE)
    keep <- vapply(seq_along(names), plain, NA)
    names <- names[keep]
    lazies <- lazies[keep]
    actives <- actives[keep]
  }
  shown <- seq_along(names)
  shown <- shown[shown > question$offset & shown <= question$offset + question$limit]
  list(total = length(names), variables = lapply(shown, function(i)
    attempt(entry(names[i], env, lazies[i], actives[i]), list(name = cut_text(names[i], 200), type = "unknown"))))
}

# Finding the value that a name, or a path of names with $ or @ between them, stands for.
find <- function(path) {
  marks <- gregexpr("[$@]", path)[[1]]
  names <- strsplit(path, "[$@]")[[1]]
  v <- bound(names[1], globalenv(), names[1])
  seen <- names[1]
  for (i in seq_along(names)[-1]) {
    mark <- substr(path, marks[i - 1], marks[i - 1])
    seen <- paste0(seen, mark, names[i])
    v <- part(v, names[i], mark, seen)
  }
  v
}

bound <- function(name, env, seen) {
  if (!exists(name, envir = env, inherits = FALSE)) refuse("variable_not_found", "there is no variable ", seen)
  if (active(name, env)) refuse("not_readable", seen, " is an active binding: reading it would run its function\ue0f1, which is for execute_code to do\ue0f2")
  if (lazy(name, env)) refuse("not_readable", seen, " is a promise, whose code has not run yet\ue0f1: use it in execute_code first\ue0f2")
  attempt(held(name, env), refuse("not_readable", seen, " has no value"))
}

part <- function(v, name, mark, seen) {
  missing <- function() refuse("variable_not_found", seen, " does not exist, or only by running code of its object")
  if (isS4(v) && !is.environment(v)) {
    if (!name %in% names(attributes(v)) || name == "class") missing()
    return(attr(v, name, exact = TRUE))
  }
  if (mark == "@") missing()
  if (is.environment(v)) {
    if (!exists(name, envir = v, inherits = FALSE)) missing()
    return(bound(name, v, seen))
  }
  if (!is.list(v)) missing()
  v <- bare(v)
  at <- match(name, names(v))
  if (is.na(at)) missing()
  .subset2(v, at)
}

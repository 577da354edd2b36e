# One value: what it is, how large, a bounded text of it, and what it is made of.
parts_of <- function(v) {
  if (is.environment(v)) {
    all <- sort(ls(v, all.names = TRUE, sorted = FALSE), method = "radix")
    all <- all[seq_len(min(50, length(all)))]
    lazies <- lazy(all, v)
    actives <- active(all, v)
    kind <- function(i) if (lazies[i]) "promise" else if (actives[i]) "active binding" else attempt(type_of(held(all[i], v)), "unknown")
  } else if (isS4(v)) {
    all <- setdiff(names(attributes(v)), "class")
    kind <- function(i) type_of(attr(v, all[i], exact = TRUE))
  } else if (is.list(v) && is.object(v) && !is_a(v, "POSIXlt")) {
    inside <- bare(v)
    all <- names(inside)
    kind <- function(i) type_of(.subset2(inside, i))
  } else {
    return(NULL)
  }
  shown <- which(!is.na(all) & nzchar(all))
  lapply(shown[seq_len(min(50, length(shown)))], function(i) list(name = cut_text(all[i], 200), type = kind(i)))
}

rows_of <- function(v, most) {
  dims <- dim(v)
  rows <- min(dims[1], 20)
  columns <- min(dims[2], 20)
  if (rows < dims[1] || columns < dims[2]) cuts <<- cuts + 1
  line <- function(i) paste(vapply(seq_len(columns), function(j) short(.subset2(v, i + (j - 1) * dims[1]), most, 1), ""), collapse = ", ")
  paste(c(vapply(seq_len(rows), line, ""), if (rows < dims[1]) dots), collapse = "\n")
}

inspection <- function() {
  v <- find(question$name)
  home <- attr(class(v), "package", exact = TRUE)
  out <- list(name = question$name, type = type_of(v), module = if (is.character(home)) cut_text(home[1], 200) else if (is.object(v)) "" else "base")
  out$size <- size_of(v)
  if (is_frame(v)) return(c(out, list(dataframe = table_info(v, NULL))))
  cuts <<- 0
  value <- scalar(v, question$max_chars)
  if (identical(value, nothing)) {
    matrix <- !is.object(v) && (is.atomic(v) || is.list(v)) && length(dim(v)) == 2 && length(v)
    value <- if (matrix) rows_of(v, question$max_chars) else short(v, question$max_chars)
    value <- cut_text(value, question$max_chars)
  }
  out$value <- value
  if (cuts) out$truncated <- TRUE
  inside <- parts_of(v)
  if (length(inside)) out$attributes <- inside
  out
}

# A data frame or what is built on it: columns, types, first rows, figures on each column.
#
# A column at a time, and none after the time is over. Beyond FEW rows distinct values are not counted, beyond MANY
# nothing is sorted, and beyond MOST nothing is computed, so that no step takes long.
table_info <- function(v, column) {
  rows <- if (is.null(column)) frame_rows(v) else size_n(v)
  b <- if (is.null(column)) bare(v) else list(v)
  given <- if (is.null(column)) names(b) else column
  width <- length(b)
  shown <- seq_len(min(width, question$max_columns))
  notes <- character()
  note <- function(...) notes <<- c(notes, paste0(...))
  labels <- vapply(shown, function(i) if (i <= length(given) && !is.na(given[i])) cut_text(given[i], 100) else "NA", "")
  unique <- distinct(labels)
  if (!identical(unique, labels)) note("further columns of the same name have a number behind it here")
  if (width > length(shown)) note("only the first ", length(shown), " of ", width, " columns are shown")
  columns <- lapply(shown, function(i) .subset2(b, i))
  out <- list(shape = list(rows, width), columns = entries(unique))
  out$dtypes <- object(unique, lapply(columns, type_of))
  labelled <- is.null(column) && .row_names_info(v, 1L) > 0 && !identical(attr(v, "row.names"), seq_len(rows))
  if (labelled) out$index <- list(type = typeof(attr(v, "row.names")), names = list(NA))
  known <- vapply(columns, function(x) length_of(x) == rows, NA)
  if (!all(known)) note("not all columns have as many values as the table has rows")
  memory <- vapply(columns, bytes_of, 0)
  out$memory_bytes <- round(sum(memory))
  if (question$include_head) {
    out$head <- head_of(columns, unique, min(rows, question$head_rows), note)
    if (labelled) {
      index <- attr(v, "row.names")
      out$head_index <- lapply(seq_along(out$head), function(i) cell(index, i, 100))
    }
  }
  figures <- lapply(columns, function(x) if (is_late()) NULL else attempt(figures_of(x, rows), NULL))
  there <- !vapply(figures, is.null, NA)
  if (!all(there)) note("not all figures could be had: ", sum(!there), " columns are of another kind, too long, or no time was left for them")
  out$missing <- object(unique[there], lapply(figures[there], function(f) f$missing))
  out$describe <- object(unique[there], lapply(figures[there], function(f) f$describe))
  if (rows > MANY) note("quartiles are left out for tables of more than ", whole(MANY), " rows")
  if (rows > FEW) note("the distinct values are not counted for tables of more than ", whole(FEW), " rows")
  if (length(notes)) out$notes <- entries(notes)
  out
}

# The same labels, with a number behind each that is there already.
distinct <- function(labels) {
  taken <- labels
  for (i in which(duplicated(labels))) {
    n <- sum(labels[seq_len(i)] == labels[i])
    while (paste0(labels[i], " #", n) %in% taken) n <- n + 1
    taken[i] <- paste0(labels[i], " #", n)
  }
  taken
}

# How many rows a column has, which may be a matrix or a table itself.
length_of <- function(x) {
  if (is_frame(x)) return(frame_rows(x))
  x <- as_moment(x)
  dims <- attr(x, "dim", exact = TRUE)
  if (is.numeric(dims) && length(dims) == 2) dims[1] else size_n(x)
}

# Roughly: each text of a short column is counted, and of a long one the pointer.
bytes_of <- function(x) {
  n <- as.double(size_n(x))
  each <- switch(typeof(x), logical = , integer = 4, complex = 16, raw = 1, 8)
  texts <- if (is.character(x) && n <= FEW) sum(as.double(nchar(bare(x), "bytes", keepNA = FALSE))) else 0
  n * each + texts
}

head_of <- function(columns, labels, rows, note) {
  full <- rows
  most <- 200
  line <- sum(nchar(labels, "bytes") + 6)
  rows <- min(rows, max(1, 1e5 %/% max(line, 1)))
  repeat {
    if (is_late()) {
      rows <- min(rows, 1)
      most <- 20
    }
    cells <- lapply(columns, function(x) lapply(seq_len(rows), function(i) attempt(field(x, i, most), "?")))
    size <- rows * line + sum(vapply(cells, function(x) sum(nchar(as.character(unlist(x)), "bytes"), na.rm = TRUE), 0))
    if (size <= 1e5 || rows <= 1 && most <= 20) break
    if (most > 50) most <- 50 else if (rows > 1) rows <- max(rows %/% 2, 1) else most <- 20
  }
  if (rows < full || most < 200) note("the first rows are cut, to ", rows, " rows and ", most, " characters a value")
  lapply(seq_len(rows), function(i) object(labels, lapply(cells, function(x) x[[i]])))
}

field <- function(x, i, most) {
  n <- length_of(x)
  if (i > n) return(NA)
  if (is_frame(x)) return(paste0("<", type_of(x), " of ", many(size_n(x), "column"), ">"))
  dims <- attr(x, "dim", exact = TRUE)
  if (length(dims) != 2) return(cell(x, i, most))
  row <- vapply(seq_len(min(dims[2], 20)), function(j) paste(cell(bare(x), i + (j - 1) * n, most)), "")
  cut_text(paste(row, collapse = ", "), most)
}

# What a column holds, or NULL where that cannot be said in time.
figures_of <- function(x, rows) {
  dims <- attr(x, "dim", exact = TRUE)
  if (rows > MOST || is_frame(x) || !is.null(dims)) return(NULL)
  x <- as_moment(x)
  if (is.list(x)) {
    if (rows > FEW) return(NULL)
    none <- sum(vapply(bare(x), function(e) is.null(e) || is.atomic(e) && size_n(e) == 1 && is.na(bare(e)), NA))
    return(list(missing = none, describe = list(count = size_n(x) - none)))
  }
  if (!is.atomic(x)) return(NULL)
  b <- as.vector(bare(x))
  if (is_a(x, "integer64") && is.double(b)) {
    if (rows > MANY) return(NULL)
    b <- wide(b)
  }
  if (anyNA(b)) {
    gone <- is.na(b)
    missing <- sum(gone)
    b <- b[!gone]
  } else {
    missing <- 0
  }
  n <- length(b)
  figure <- list(count = n)
  moment <- is_a(x, c("Date", "POSIXct", "difftime"))
  if (is.numeric(b) && !is_a(x, "factor")) {
    if (!n) {
      # There is nothing else to say.
    } else if (moment) {
      at <- c(which.min(b), which.max(b))
      kept <- attributes(x)
      ends <- b[at]
      attributes(ends) <- kept[names(kept) %in% c("class", "units", "tzone")]
      figure$min <- cell(ends, 1, 100)
      figure$max <- cell(ends, 2, 100)
    } else {
      figure <- c(figure, lapply(numbers(as.double(b), n), number))
    }
  } else if (rows <= FEW && (!is.character(b) || sum(nchar(b, "bytes")) <= 1e7)) { # each is read as a whole
    figure$unique <- 0
    if (n) {
      values <- b[!duplicated.default(b)]
      counts <- tabulate(match(b, values), length(values))
      figure$unique <- length(values)
      top <- values[which.max(counts)]
      if (is_a(x, "factor")) attributes(top) <- list(levels = attr(x, "levels", exact = TRUE), class = "factor")
      figure$top <- cell(top, 1, 100)
      figure$freq <- max(counts)
    }
  }
  list(missing = missing, describe = figure)
}

numbers <- function(b, n) {
  known <- function(x) if (is.nan(x)) NA else x
  mean <- sum(b) / n
  out <- list(mean = known(mean), std = if (n > 1) known(sqrt(sum((b - mean)^2) / (n - 1))) else NA, min = min(b))
  if (n <= MANY) {
    s <- sort.int(b, method = "radix")
    for (q in c(25, 50, 75)) {
      h <- (n - 1) * q / 100 + 1
      low <- floor(h)
      out[[paste0(q, "%")]] <- if (h == low || s[low] == s[low + 1]) s[low] else s[low] + (h - low) * (s[low + 1] - s[low])
    }
  }
  out$max <- max(b)
  out
}

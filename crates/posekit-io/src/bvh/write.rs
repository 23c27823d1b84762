//! A file as bytes, in one fixed layout.

use std::io::{self, Write};

use super::file::{File, Node};
use super::number::write_number;

/// The largest indentation in levels; without a bound, the indentation of a chain would grow with the square of its length.
const INDENTED: usize = 32;

/// Number of bytes that are collected before they are written.
const PIECE: usize = 1 << 16;

impl File {
    /// The file as text, in the layout of the [module](super).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // A number takes about as many bytes in the text as in memory.
        let mut bytes = Vec::with_capacity(8 * self.values().len() + PIECE);
        // Everything is one piece, because the output is in memory anyway.
        let _ = self.write_pieces(&mut bytes, &mut io::sink(), usize::MAX);
        bytes
    }

    /// Writes the file to a stream, a piece at a time.
    ///
    /// # Errors
    /// Those of the stream. The bytes written until then are not a complete file.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut piece = Vec::with_capacity(2 * PIECE);
        self.write_pieces(&mut piece, out, PIECE)?;
        hand_on(&mut piece, out, 0)?;
        out.flush()
    }

    /// Writes into a buffer that is flushed when it is larger than this; the last part is not flushed.
    fn write_pieces(
        &self,
        piece: &mut Vec<u8>,
        out: &mut dyn Write,
        most: usize,
    ) -> io::Result<()> {
        self.write_hierarchy(piece, out, most)?;
        piece.extend_from_slice(
            format!("MOTION\nFrames: {}\nFrame Time: ", self.n_frames()).as_bytes(),
        );
        write_number(self.frame_time(), piece);
        piece.push(b'\n');
        for frame in 0..self.n_frames() {
            write_numbers(self.frame(frame), piece);
            hand_on(piece, out, most)?;
        }
        Ok(())
    }

    fn write_hierarchy(
        &self,
        piece: &mut Vec<u8>,
        out: &mut dyn Write,
        most: usize,
    ) -> io::Result<()> {
        piece.extend_from_slice(b"HIERARCHY\n");
        // The nodes whose braces are open.
        let mut path: Vec<usize> = Vec::new();
        for (index, node) in self.nodes().iter().enumerate() {
            while path.last().is_some_and(|&last| Some(last) != node.parent) {
                path.pop();
                close(path.len(), piece);
            }
            write_node(node, path.len(), piece);
            path.push(index);
            hand_on(piece, out, most)?;
        }
        while path.pop().is_some() {
            close(path.len(), piece);
            hand_on(piece, out, most)?;
        }
        Ok(())
    }
}

/// Flushes a buffer of more than `most` bytes.
fn hand_on(piece: &mut Vec<u8>, out: &mut dyn Write, most: usize) -> io::Result<()> {
    if piece.len() > most {
        out.write_all(piece)?;
        piece.clear();
    }
    Ok(())
}

fn indent(depth: usize, piece: &mut Vec<u8>) {
    piece.resize(piece.len() + depth.min(INDENTED), b'\t');
}

fn close(depth: usize, piece: &mut Vec<u8>) {
    indent(depth, piece);
    piece.extend_from_slice(b"}\n");
}

/// A node up to its children.
fn write_node(node: &Node, depth: usize, piece: &mut Vec<u8>) {
    let keyword = match (node.is_end_site, node.parent) {
        (true, _) => "End Site",
        (false, None) => "ROOT",
        (false, Some(_)) => "JOINT",
    };
    indent(depth, piece);
    piece.extend_from_slice(keyword.as_bytes());
    if !node.name.is_empty() {
        piece.push(b' ');
        piece.extend_from_slice(&node.name);
    }
    piece.push(b'\n');
    indent(depth, piece);
    piece.extend_from_slice(b"{\n");
    indent(depth + 1, piece);
    piece.extend_from_slice(b"OFFSET ");
    write_numbers(&node.offset.to_array(), piece);
    if !node.is_end_site {
        indent(depth + 1, piece);
        piece.extend_from_slice(format!("CHANNELS {}", node.channels.len()).as_bytes());
        for channel in &node.channels {
            piece.push(b' ');
            piece.extend_from_slice(channel.name().as_bytes());
        }
        piece.push(b'\n');
    }
}

/// A line of numbers.
fn write_numbers(values: &[f64], piece: &mut Vec<u8>) {
    for (index, &value) in values.iter().enumerate() {
        if index > 0 {
            piece.push(b' ');
        }
        write_number(value, piece);
    }
    piece.push(b'\n');
}

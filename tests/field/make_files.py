"""The files of the cases that are not text, as other programs write them."""
import h5py
import numpy


def make_all(folder):
    """Makes every file of this page in a folder."""
    for make in (no_edge_of_integers,):
        make(folder)


def no_edge_of_integers(folder):
    """A matrix of weights without attributes, whose absent edges the job names."""
    with h5py.File(folder / "weights.h5", "w") as file:
        file["w"] = numpy.array([[0, 5, 9999], [9999, 0, 7], [9, 9999, 0]], "i4")

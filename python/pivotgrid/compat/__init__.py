"""Drop-ins: the calls of other packages, answered by pivotgrid. Change the import, and nothing else::

    from pivotgrid.compat.ase import neighbor_list    # instead of ase.neighborlist
    from pivotgrid.compat.scipy import cKDTree        # instead of scipy.spatial
    from pivotgrid.compat.vesin import NeighborList   # instead of vesin
"""
